"""What one listener has yet to take: bounded, since a slow one reads the log instead."""

import asyncio
from collections import deque
from collections.abc import Sequence

from events.entries import Entry

SIZE = 1000


class Inbox:
    """Heard entries in order; `is_behind` when some were not kept, and the log must be read."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._entries: deque[Entry] = deque()
        self._stirred = asyncio.Event()
        self.is_connected = False
        self.is_behind = False

    def hear(self, entries: Sequence[Entry]) -> None:
        """Keep these, unless there are too many."""
        if self.is_behind:
            return
        if len(self._entries) + len(entries) > self._size:
            self.fall_behind()
        else:
            self._entries.extend(entries)
            self._stirred.set()

    def connected(self, is_connected: bool) -> None:
        """After a silence the log knows more."""
        self.is_connected = is_connected
        if is_connected:
            self.fall_behind()

    def fall_behind(self) -> None:
        """Keep nothing until the log is read."""
        self._entries.clear()
        self.is_behind = True
        self._stirred.set()

    def catch_up(self) -> None:
        """The log is about to be read: keep what is heard from now on."""
        self.is_behind = False

    def take(self) -> list[Entry]:
        """Everything that is kept."""
        taken = list(self._entries)
        self._entries.clear()
        return taken

    async def wait(self, seconds: float) -> bool:
        """Whether something stirred within the time."""
        try:
            async with asyncio.timeout(seconds):
                await self._stirred.wait()
        except TimeoutError:
            return False
        self._stirred.clear()
        return True
