"""What a handler may answer: a plain value, a reply with a status, a written change, or something to wait for."""

from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished answer: JSON-ready body and HTTP status."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Streamed:
    """The body of a reply that is told piece by piece, as server-sent events; only over HTTP."""

    pieces: AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class Change:
    """What a write did to one object, field by field, in the names that callers use."""

    action: Literal["create", "update", "delete"]
    object_type: str
    object_id: str
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)

    def changes(self) -> dict[str, dict[str, Any]]:
        """`{field: {from, to}}` for the fields that differ, in the order of the new values."""
        names = [*self.after, *(name for name in self.before if name not in self.after)]
        pairs = ((name, self.before.get(name), self.after.get(name)) for name in names)
        return {name: {"from": old, "to": new} for name, old, new in pairs if old != new}


@dataclass(frozen=True, slots=True)
class Written:
    """The answer of a write, with its change: what a dry run shows and the audit remembers."""

    body: Any
    change: Change
    status: int | None = None  # the operation's own


@dataclass(frozen=True, slots=True)
class Pending:
    """An answer that is not there yet: awaited with no thread and no connection. Cancelling the future stops the work.

    The future's value is what a handler may answer, but no Pending.
    """

    future: "Future[Any]"
