"""The connection to Valkey (or Redis): one client per process, short deadlines, never a reason to hang."""

import os
from functools import lru_cache

import redis
import redis.asyncio
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

DEADLINE = 0.25  # seconds: a slow cache must not slow a call

# Raised by every call here when Valkey is away.
Away = (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError)


@lru_cache(maxsize=4)
def _client(pid: int, url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        socket_timeout=DEADLINE,
        socket_connect_timeout=DEADLINE,
        retry=Retry(NoBackoff(), 1),  # one more try: a pooled connection may be stale after a restart
        max_connections=settings.DATABASE_POOL + 64,  # never fewer than threads that may ask
    )


def client() -> redis.Redis:
    """The client of this process; a forked child gets its own."""
    return _client(os.getpid(), settings.REDIS_URL)


def async_client(*, patient: bool = False) -> redis.asyncio.Redis:
    """A new client for the running event loop; the caller closes it. A `patient` one waits for messages without end."""
    return redis.asyncio.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=None if patient else DEADLINE,
        socket_connect_timeout=DEADLINE,
        max_connections=64,
    )
