"""The servers under load, each one process."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.serving import asgi, serving

# The key, the limits and the audit are the real ones; only the figures are raised, or the bucket would be measured.
RAISED = {
    "LIMIT_CALLS_PER_MINUTE": "100000000",
    "LIMIT_BURST": "1000000",
    "LIMIT_CONCURRENT_CALLS": "1000",
    "LIMIT_LISTS_PER_MINUTE": "100000000",
    "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
}


@contextmanager
def server_of(kind: str, **extra: str) -> Iterator[str]:
    """The MCP address of ours on `uvicorn` or `daphne`, or of the bare one of the SDK (`sdk`)."""

    def command(port: int) -> list[str]:
        return ["tests.bench.sdk_server"] if kind == "sdk" else asgi(kind, "config.asgi:application", port)

    with serving(command, {**RAISED, **extra}) as url:
        yield url
