"""A tenant's log of events, read from a cursor on; for whoever was away, or is too slow to be told."""

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

import redis.asyncio

from events import entries
from events.entries import FIELD, Entry, name_of, position_of
from events.outbox import LOG_SECONDS
from ground import valkey
from ground.bridge import on_background

T = TypeVar("T")

PAGE = 500
AT_ONCE = 16  # reads of one process

# Every log begins with an entry for nobody, so that a cursor from before any event is one too.
_BEGINNING = entries.written({"type": "beginning"}, None)


@dataclass(frozen=True, slots=True)
class Page:
    """What follows a cursor; `is_torn` when the log does not reach back to it, so that something may be missing."""

    entries: list[Entry]
    is_torn: bool

    @property
    def is_full(self) -> bool:
        """Whether there may be more."""
        return len(self.entries) == PAGE


@lru_cache(maxsize=2)
def _free(pid: int) -> asyncio.Semaphore:
    return asyncio.Semaphore(AT_ONCE)


@asynccontextmanager
async def _client() -> AsyncIterator[redis.asyncio.Redis]:
    """A connection for one read: reads are rare, and none is left open for the next."""
    async with _free(os.getpid()), valkey.async_client() as client:
        yield client


async def _end(tenant_id: UUID) -> str:
    name = name_of(tenant_id)
    async with _client() as client:
        if last := await client.xrevrange(name, count=1):
            return _text(last[0][0])
        created = await client.xadd(name, {FIELD: _BEGINNING})
        await client.expire(name, LOG_SECONDS)
        return _text(created)


async def _since(tenant_id: UUID, cursor: str) -> Page:
    name = name_of(tenant_id)
    async with _client() as client, client.pipeline(transaction=True) as pipeline:
        pipeline.xrange(name, count=1)
        pipeline.xrange(name, min=f"({cursor}", count=PAGE)
        first, found = await pipeline.execute()
    is_torn = not first or position_of(_text(first[0][0])) > position_of(cursor)
    return Page([entries.read(tenant_id, entry_id, fields[FIELD]) for entry_id, fields in found], is_torn)


def _text(entry_id: Any) -> str:
    return str(entry_id.decode())


async def end_of(tenant_id: UUID) -> str:
    """The cursor of the last entry. Raises one of `valkey.Away` when Valkey is away."""
    return await _elsewhere(_end(tenant_id))


async def since(tenant_id: UUID, cursor: str) -> Page:
    """What follows the cursor, 500 entries at most. Raises one of `valkey.Away` when Valkey is away."""
    return await _elsewhere(_since(tenant_id, cursor))


async def _elsewhere(work: Coroutine[Any, Any, T]) -> T:
    return await asyncio.wrap_future(on_background(work))
