"""One entry of a tenant's log, and how it is written there and sent to other processes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from events.audience import Audience
from events.types import Event, Told
from identity.principal import Principal

PREFIX = "atrium:events:"
FIELD = b"e"
_CURSOR = re.compile(r"(\d{1,20})-(\d{1,20})")

Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """An event as the log holds it; `id` is the cursor of whoever has read it."""

    id: str
    position: Position
    to: Audience
    event: Told

    @property
    def is_reset(self) -> bool:
        """Whether it says that events were lost on their way into the log."""
        return self.event["type"] == "reset"

    def admits(self, principal: Principal) -> bool:
        """Whether the principal may know of it."""
        return self.to.admits(principal) or (self.is_reset and self.to.tenant_id == principal.tenant_id)


def name_of(tenant_id: UUID) -> str:
    """The key of the tenant's log, which is the name of its channel too."""
    return f"{PREFIX}{tenant_id}"


def written(event: Event | Told | dict[str, Any], to: Audience | None) -> bytes:
    """The body of an entry: one line of JSON."""
    facts = (to.user_id, to.permission, to.department_id) if to else (None, None, None)
    return orjson.dumps([*facts, event])


def read(tenant_id: UUID, entry_id: bytes, body: bytes) -> Entry:
    """The entry of an id and a body."""
    user_id, permission, department_id, event = orjson.loads(body)
    text = entry_id.decode()
    to = Audience(
        tenant_id, UUID(user_id) if user_id else None, permission, UUID(department_id) if department_id else None
    )
    return Entry(text, position_of(text), to, event)


def heard(tenant_id: UUID, message: bytes) -> Iterator[Entry]:
    """The entries of a message on the tenant's channel: an id and a body, line after line."""
    lines = message.split(b"\n")
    for entry_id, body in zip(lines[::2], lines[1::2], strict=True):
        yield read(tenant_id, entry_id, body)


def position_of(cursor: str) -> Position:
    """Where in the log a cursor stands; ValueError when it is none."""
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise ValueError(cursor)
    first, second = int(found[1]), int(found[2])
    if max(first, second) >= 1 << 64:
        raise ValueError(cursor)
    return first, second
