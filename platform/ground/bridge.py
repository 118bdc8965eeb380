"""The only crossing between the event loop and Django: a bounded pool of threads, and one background loop."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")


# Kept by process: a forked child has none of its parent's threads.
@lru_cache(maxsize=2)
def _threads(pid: int) -> ThreadPoolExecutor:
    # Fewer threads than pooled connections, so that a thread never waits for one.
    return ThreadPoolExecutor(max_workers=max(2, settings.DATABASE_POOL - 4), thread_name_prefix="django")


@lru_cache(maxsize=2)
def _reserved(pid: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="django-reserved")


def _released(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return fn(*args, **kwargs)
    except (
        SystemExit,
        KeyboardInterrupt,
    ) as asked:  # it would end the event loop, and with it all
        raise RuntimeError("What ran in a thread asked the process to end.") from asked
    finally:
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:
                connection.close()  # back to the pool


async def in_django(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `fn` in a thread where the ORM may be used; its connection goes back to the pool afterwards."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads(os.getpid()), lambda: _released(fn, *args, **kwargs))


async def in_reserved(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As `in_django`, in the one thread kept for what must never wait behind other work: heartbeats."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_reserved(os.getpid()), lambda: _released(fn, *args, **kwargs))


@lru_cache(maxsize=2)
def _background(pid: int) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="background-loop", daemon=True).start()
    return loop


# A loop knows its tasks by weak references only: one that nobody keeps may be collected while it waits.
_under_way: set["Future[Any]"] = set()


def on_background(work: Coroutine[Any, Any, T]) -> "Future[T]":
    """Start `work` on the one background loop of this process; cancelling the future cancels the work."""
    future = asyncio.run_coroutine_threadsafe(work, _background(os.getpid()))
    _under_way.add(future)
    future.add_done_callback(_under_way.discard)
    return future
