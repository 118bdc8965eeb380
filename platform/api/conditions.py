"""One field, one operator, one literal as a Q that is either true or false: a missing value fails it."""

from typing import Any

from django.db.models import FloatField, Q, Value
from django.db.models.expressions import Combinable
from django.db.models.lookups import Exact, In, IsNull

from api.fields import MILLISECOND, Field, instant, is_number

_EXPRESSED: dict[str, Any] = {"exact": Exact, "in": In, "isnull": IsNull}
_POSITIVE = {"ne": "eq", "notIn": "in", "notIncludes": "includes", "notExists": "exists"}


def condition(found: Field, op: str, value: Any = None) -> Q:
    """The field compared; `ne`, `notIn`, `notIncludes` and `notExists` are exactly what their positives are not."""
    if op in _POSITIVE:
        return ~condition(found, _POSITIVE[op], value)
    if op == "exists":
        return _exists(found)
    members = value if op == "in" else [value]
    column = found.numbers if found.numbers and is_number(members[0]) else found.lookup
    compared = Q()
    if op == "includes":
        compared = _lookup(column, "contains", members)
    elif found.literal == "string" or not (found.literal == "timestamp" or is_number(members[0])):
        compared = _lookup(column, "in", members)
    else:
        one = _timed if found.literal == "timestamp" else _numbered
        for member in members:
            compared |= one(str(column), "eq" if op == "in" else op, member)
    return compared & _lookup(column, "isnull", False)


def _exists(found: Field) -> Q:
    there = _lookup(found.lookup, "isnull", False)
    if found.numbers:
        there |= _lookup(found.numbers, "isnull", False)
    return there & ~_lookup(found.lookup, "exact", []) if found.kind == "A" else there


def _lookup(column: str | Combinable, name: str, value: Any) -> Q:
    if isinstance(column, str):
        return Q(**{f"{column}__{name}": value})
    return Q(_EXPRESSED[name](column, value))


def _numbered(column: str, op: str, value: int | float) -> Q:
    # A whole number is compared as it is, so that an index serves; a fraction as a float, because Django would cut it
    # to a whole number for an integer column.
    whole = isinstance(value, int) or value.is_integer()
    compared = int(value) if whole else Value(value, output_field=FloatField())
    return Q(**{f"{column}__{'exact' if op == 'eq' else op}": compared})


def _timed(column: str, op: str, text: str) -> Q:
    """Moments are equal when their milliseconds are: finer ones are stored, and never shown."""
    start = instant(text)
    assert start is not None
    end = start + MILLISECOND
    match op:
        case "eq":
            return Q(**{f"{column}__gte": start, f"{column}__lt": end})
        case "lt" | "gte":
            return Q(**{f"{column}__{op}": start})
        case "lte":
            return Q(**{f"{column}__lt": end})
        case _:
            return Q(**{f"{column}__gte": end})
