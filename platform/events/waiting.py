"""Waiting for something to be told, without a thread, a connection or a query for each that waits."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from events.entries import Entry
from events.hub import hub
from events.types import Event

CONNECTING_SECONDS = 0.25  # how long the first question waits for the subscription
HEARING_SECONDS, DEAF_SECONDS = 5.0, 1.0  # between two questions, while events are heard and while they are not


class _Ear:
    """Looks for one event; it is called, not queued for, so that hundreds cost little."""

    def __init__(self, is_it: Callable[[Event], bool]) -> None:
        self._is_it = is_it
        self._stirred = asyncio.Event()
        self.has_heard = self.is_connected = False

    def hear(self, entries: Sequence[Entry]) -> None:
        """Wake when it is among these, or when it may have been among those that were lost."""
        for entry in entries:
            if entry.event["type"] == "reset":
                self._stirred.set()
            elif self._is_it(entry.event):
                self.has_heard = True
                self._stirred.set()

    def connected(self, is_connected: bool) -> None:
        """Wake: it may have happened meanwhile."""
        if is_connected != self.is_connected:
            self.is_connected = is_connected
            self._stirred.set()

    async def wait(self, seconds: float) -> None:
        """Until something stirs, at most so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._stirred.wait()
        except TimeoutError:
            return

    def settle(self) -> None:
        """What stirred until now is seen to."""
        self._stirred.clear()


async def wait_for(
    tenant_id: UUID, is_it: Callable[[Event], bool], seconds: float, poll: Callable[[], Awaitable[bool]]
) -> bool:
    """True as soon as an event of the tenant is it or `poll` says so; False when the time is over.

    `poll` is asked once everything is heard, and then every five seconds; every second while nothing is heard.
    """
    ear, deadline = _Ear(is_it), time.monotonic() + seconds
    with hub().listening(tenant_id, ear):
        if not ear.is_connected:
            await ear.wait(min(CONNECTING_SECONDS, seconds))
        while True:
            ear.settle()
            if ear.has_heard or await poll():
                return True
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return False
            await ear.wait(min(remaining, _pause(ear.is_connected)))


def _pause(is_connected: bool) -> float:
    # Those that began together must not ask together for ever.
    return random.uniform(0.9, 1) * (HEARING_SECONDS if is_connected else DEAF_SECONDS)  # noqa: S311  (no secret)
