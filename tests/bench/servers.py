"""The servers under load, each one process on a free port."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

# The key, the limits and the audit are the real ones; only the figures are raised, or the bucket would be measured.
RAISED = {
    "LIMIT_CALLS_PER_MINUTE": "100000000",
    "LIMIT_BURST": "1000000",
    "LIMIT_CONCURRENT_CALLS": "1000",
    "LIMIT_LISTS_PER_MINUTE": "100000000",
}


def free_port() -> int:
    """A port of the loopback interface that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command_of(kind: str, port: int) -> list[str]:
    """How to start a server of this kind."""
    return {
        "uvicorn": [
            "uvicorn", "config.asgi:application", "--host", "127.0.0.1", "--port", str(port), "--loop", "uvloop",
            "--http", "httptools", "--log-level", "warning", "--no-access-log", "--lifespan", "off",
        ],
        "daphne": ["daphne", "-b", "127.0.0.1", "-p", str(port), "-v", "0", "--no-server-name", "config.asgi:application"],
        "sdk": ["tests.bench.sdk_server"],
    }[kind]  # fmt: skip


@contextmanager
def serving(kind: str, **extra: str) -> Iterator[str]:
    """The MCP address of a running server; it is ended on leaving."""
    port = free_port()
    environment = {
        **os.environ, **RAISED, **extra, "PORT": str(port), "PYTHONPATH": os.getcwd(),
        "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
    }  # fmt: skip
    process = subprocess.Popen([sys.executable, "-m", *command_of(kind, port)], env=environment)
    try:
        _wait(process, f"http://127.0.0.1:{port}/api/mcp")
        yield f"http://127.0.0.1:{port}/api/mcp"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: "subprocess.Popen[bytes]", url: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended with {process.returncode} before it answered.")
        try:
            urllib.request.urlopen(url, timeout=1)
        except urllib.error.HTTPError:
            return  # any answer will do
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"The server did not answer at {url} within a minute.")
