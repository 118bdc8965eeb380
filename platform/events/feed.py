"""The events that one principal may see, in order, from a cursor on, with none left out in silence."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager

from events import log
from events.audience import Audience
from events.entries import Entry, position_of
from events.hub import hub
from events.inbox import Inbox
from events.types import RESET, Event, Told
from ground import valkey
from ground.errors import InvalidInput, Unavailable
from identity.principal import Principal

CONNECTING_SECONDS = 10.0
AGAIN_SECONDS = 0.5  # between two attempts to read the log while Valkey is away


class Feed:
    """Entered and read in one event loop. `principal` may be replaced by the same person with other rights.

    `cursor` is how far it has come; without one it begins now. Raises InvalidInput for a cursor that is none, and
    Unavailable when Valkey stays away while it begins.
    """

    def __init__(self, principal: Principal, cursor: str | None = None) -> None:
        self.principal = principal
        self.cursor = cursor or ""
        self._inbox = Inbox()
        self._read: deque[Entry] = deque()
        self._listening: AbstractContextManager[None] | None = None
        if cursor is not None:
            _check(cursor)

    async def __aenter__(self) -> "Feed":
        self._listening = hub().listening(self.principal.tenant_id, self._inbox)
        self._listening.__enter__()
        try:
            await self._begin()
        except BaseException:
            self._listening.__exit__(None, None, None)
            raise
        return self

    async def __aexit__(self, *failure: object) -> None:
        if self._listening is not None:
            self._listening.__exit__(None, None, None)

    async def _begin(self) -> None:
        deadline = time.monotonic() + CONNECTING_SECONDS
        while not (self._inbox.is_connected and await self._has_cursor()):
            if (remaining := deadline - time.monotonic()) <= 0:
                raise Unavailable("Events cannot be told at the moment; try again in a few seconds.")
            await self._inbox.wait(min(remaining, AGAIN_SECONDS))

    async def _has_cursor(self) -> bool:
        if self.cursor:
            return True
        try:
            self.cursor = await log.end_of(self.principal.tenant_id)
        except valkey.Away:
            return False
        return True

    async def next(self, seconds: float) -> Entry | None:
        """The next entry that the principal may see, a reset among them; None when there was none in the time."""
        deadline = time.monotonic() + seconds
        while True:
            while self._read:
                entry = self._read.popleft()
                self.cursor = entry.id
                if entry.admits(self.principal):
                    return entry
            if not await self._refill(deadline - time.monotonic()):
                return None

    async def _refill(self, seconds: float) -> bool:
        if self._inbox.is_behind:
            return await self._read_log(seconds)
        if heard := self._inbox.take():
            here = position_of(self.cursor)  # the log may have told of some already
            self._read.extend(entry for entry in heard if entry.position > here)
            return True
        return await self._inbox.wait(max(seconds, 0))

    async def _read_log(self, seconds: float) -> bool:
        self._inbox.catch_up()
        try:
            page = await log.since(self.principal.tenant_id, self.cursor)
            if page.is_torn:
                self._read.append(self._reset(await log.end_of(self.principal.tenant_id)))
                return True
        except valkey.Away:
            self._inbox.fall_behind()
            await asyncio.sleep(max(0, min(seconds, AGAIN_SECONDS)))
            return seconds > 0
        self._read.extend(page.entries)
        if page.is_full:
            self._inbox.fall_behind()
        return True

    def _reset(self, cursor: str) -> Entry:
        return Entry(cursor, position_of(cursor), Audience(self.principal.tenant_id), RESET)


async def feed(
    principal: Principal, cursor: str | None, keep: Callable[[Event], bool]
) -> AsyncIterator[tuple[str, Told]]:
    """The cursor and the event of everything the principal may see from the cursor (None: from now) on, without end.

    `keep` chooses among the events; a reset is always told. Close it (`aclosing`) when it is left early.
    """
    async with Feed(principal, cursor) as events:
        while True:
            entry = await events.next(60)
            if entry is not None and (entry.event["type"] == "reset" or keep(entry.event)):
                yield entry.id, entry.event


def _check(cursor: str) -> None:
    try:
        position_of(cursor)
    except ValueError:
        message = "expected the cursor of an event, such as 1764547200000-0"
        raise InvalidInput("Invalid cursor", [{"field": "cursor", "message": message}]) from None
