"""How many connections one credential may hold in this process."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from ground.errors import RateLimited
from identity.principal import Credential

_taken: Counter[tuple[str, str]] = Counter()


@contextmanager
def seat(credential: Credential) -> Iterator[None]:
    """Hold one until the block is left; RateLimited when all are taken."""
    name = (credential.kind, credential.id)
    if _taken[name] >= settings.LIMIT_EVENT_CONNECTIONS:
        raise RateLimited(f"This credential already has {settings.LIMIT_EVENT_CONNECTIONS} connections to events.", 5)
    _taken[name] += 1
    try:
        yield
    finally:
        _taken[name] -= 1
        if not _taken[name]:
            del _taken[name]
