"""Counts SQL statements of every thread: calls run in the bridge, where Django's own capture sees nothing."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.utils import CursorWrapper

_lock = threading.Lock()


@contextmanager
def counted_queries() -> Iterator[list[str]]:
    """The statements executed by any thread of this process while the block runs, in order."""
    seen: list[str] = []
    execute = CursorWrapper.execute

    def counting(self: CursorWrapper, sql: Any, params: Any = None) -> Any:
        with _lock:
            seen.append(str(sql))
        return execute(self, sql, params)

    CursorWrapper.execute = counting  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        CursorWrapper.execute = execute  # type: ignore[method-assign]
