"""What a predicate may name: each path with its kind, its lookup and the type of its literals."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from django.db.models import Case, Exists, F, Func, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import NullIf
from django.db.models.lookups import Exact

Kind = Literal["S", "O", "P", "A"]
LiteralType = Literal["string", "number", "timestamp", "stringOrNumber"]

_SET = frozenset({"eq", "ne", "in", "notIn", "exists", "notExists"})
_ORDERED = frozenset({"lt", "lte", "gt", "gte"})
OPERATORS: dict[Kind, frozenset[str]] = {
    "S": _SET,
    "O": _SET | _ORDERED,
    "P": frozenset({"exists", "notExists"}),
    "A": frozenset({"includes", "notIncludes", "exists", "notExists"}),
}
MAX_STRING = 4096  # UTF-8 bytes
MILLISECOND = timedelta(milliseconds=1)

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)")
# What a trim takes away: the white space and line ends of Unicode, and the byte order mark.
_BLANKS = "".join(map(chr, (*range(9, 14), 32, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F)))
_BLANKS += "\u3000\ufeff"


@dataclass(frozen=True, slots=True)
class Field:
    """One path: its kind, the ORM lookup behind it (for text also an expression), and what its literals are.

    A `stringOrNumber` has its text at `lookup` and its number at `numbers`; one of them is null.
    """

    kind: Kind
    lookup: str | Combinable
    literal: LiteralType = "string"
    numbers: str = ""

    def accepts(self, value: Any, op: str = "eq") -> bool:
        """Whether the literal is of the field's type; one that is ordered by must not be text."""
        if self.literal == "number" or (self.literal == "stringOrNumber" and op in _ORDERED):
            return is_number(value)
        if self.literal == "stringOrNumber":
            return is_number(value) or is_text(value)
        return is_text(value) and (self.literal == "string" or instant(value) is not None)


@dataclass(frozen=True, slots=True)
class FieldTable:
    """The fields of a scope, and what they may be joined with.

    `metadata` makes the field of a `metadata.<key>` path. `related` turns (quantifier, inner Q) into a Q by the
    clause's name; `related_tables` are the tables that the inner predicates are compiled against.
    """

    fields: Mapping[str, Field]
    metadata: Callable[[str], Field] | None = None
    related: Mapping[str, Callable[[str, Q], Q]] = field(default_factory=dict)
    related_tables: Mapping[str, "FieldTable"] = field(default_factory=dict)


def text_of(column: str) -> Callable[[str], Field]:
    """`metadata.<key>` over a JSON column: its trimmed text; blank text and what is no text count as missing."""

    def field_of(key: str) -> Field:
        found = Func(F(column), Value(key), function="jsonb_extract_path_text", output_field=TextField())
        kind = Func(
            Func(F(column), Value(key), function="jsonb_extract_path"),
            function="jsonb_typeof",
            output_field=TextField(),
        )
        trimmed = NullIf(Func(found, Value(_BLANKS), function="btrim"), Value(""))
        text = When(Exact(kind, Value("string")), then=trimmed)
        return Field("S", Case(text, default=None, output_field=TextField()))

    return field_of


def rows_of(rows: Callable[[], QuerySet[Any]], inner: str, outer: str) -> Callable[[str, Q], Q]:
    """A related clause over rows whose `inner` lookup equals the `outer` one of the row that is asked about."""

    def resolve(quantifier: str, where: Q) -> Q:
        some = Q(Exists(rows().filter(where, **{inner: OuterRef(outer)})))
        return some if quantifier == "some" else ~some

    return resolve


def is_number(value: Any) -> bool:
    """Whether the value is a finite number that a database can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 1e300 if isinstance(value, int) else math.isfinite(value)


def is_text(value: Any) -> bool:
    """Whether the value is a text that a database can hold, no longer than allowed."""
    if not isinstance(value, str) or "\x00" in value:
        return False
    try:
        return len(value.encode()) <= MAX_STRING
    except UnicodeEncodeError:
        return False


def instant(text: str) -> datetime | None:
    """The moment that an ISO text with time and offset names, in UTC and whole milliseconds; None for other texts."""
    if not _INSTANT.fullmatch(text):
        return None
    try:
        found = datetime.fromisoformat(text).astimezone(UTC)
        found = found.replace(microsecond=found.microsecond // 1000 * 1000)
        return found if found + MILLISECOND else None
    except (ValueError, OverflowError):  # no such day, or nothing comes after it
        return None
