"""What a predicate may name: each path with its kind, its lookup and the type of its literals."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from django.db.models import Q

Kind = Literal["S", "O", "P", "A"]
LiteralType = Literal["string", "number", "timestamp"]

_SET = frozenset({"eq", "ne", "in", "notIn", "exists", "notExists"})
OPERATORS: dict[str, frozenset[str]] = {
    "S": _SET,
    "O": _SET | {"lt", "lte", "gt", "gte"},
    "P": frozenset({"exists", "notExists"}),
    "A": frozenset({"includes", "notIncludes", "exists", "notExists"}),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One path: its kind, the ORM lookup behind it, and what its literals are."""

    kind: Kind
    lookup: str
    literal: LiteralType = "string"

    def accepts(self, value: Any) -> bool:
        """Whether the literal is of the field's type."""
        if self.literal == "number":
            return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not isinstance(value, str) or len(value.encode("utf-8", "surrogatepass")) > 4096 or "\x00" in value:
            return False
        return self.literal == "string" or _instant(value) is not None

    def value(self, literal: Any) -> Any:
        """The literal as the database compares it."""
        return _instant(literal) if self.literal == "timestamp" else literal


@dataclass(frozen=True, slots=True)
class FieldTable:
    """The fields of a scope; `related` turns (quantifier, inner Q) into a Q by the clause's name.

    `related_tables` are the tables that the inner predicates are compiled against.
    """

    fields: Mapping[str, Field]
    related: Mapping[str, Callable[[str, Q], Q]] = field(default_factory=dict)
    related_tables: Mapping[str, "FieldTable"] = field(default_factory=dict)


def _instant(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
        if "T" not in text or found.tzinfo is None:
            return None
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
