"""The where-grammar in plain Python, to compare the database with: facts are values by path."""

import operator
from datetime import UTC, datetime
from typing import Any

Facts = dict[str, Any]
_ORDERED = {"lt": operator.lt, "lte": operator.le, "gt": operator.gt, "gte": operator.ge}
_POSITIVE = {"ne": "eq", "notIn": "in", "notIncludes": "includes", "notExists": "exists"}


def in_milliseconds(moment: datetime) -> datetime:
    """The moment as callers see it."""
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def holds(node: Any, facts: Facts) -> bool:
    """Whether the predicate is true of the facts; related rows are lists of facts under the clause's name."""
    match node.get("op"):
        case "and":
            return all(holds(arg, facts) for arg in node["args"])
        case "or":
            return any(holds(arg, facts) for arg in node["args"])
        case "not":
            return not holds(node["arg"], facts)
        case None:
            [(name, quantifier)] = node.items()
            [(which, inner)] = quantifier.items()
            return any(holds(inner, related) for related in facts[name]) == (which == "some")
    op = node["op"]
    return not _leaf(node, _POSITIVE[op], facts) if op in _POSITIVE else _leaf(node, op, facts)


def _leaf(node: Any, op: str, facts: Facts) -> bool:
    path = node.get("path") or (node.get("value") or node["left"])["path"]
    value = facts[path]
    if value is None or value == []:
        return False
    if op == "exists":
        return True
    if op == "includes":
        return node["value"] in value
    if op == "in":
        return any(_same_kind(value, wanted) and value == wanted for wanted in map(_read(value), node["set"]))
    wanted = _read(value)(node["right"]["literal"])
    if not _same_kind(value, wanted):
        return False
    return bool(value == wanted if op == "eq" else _ORDERED[op](value, wanted))


def _read(value: Any) -> Any:
    if isinstance(value, datetime):
        return lambda text: in_milliseconds(datetime.fromisoformat(text))
    return lambda literal: literal


def _same_kind(value: Any, wanted: Any) -> bool:
    return isinstance(value, str) == isinstance(wanted, str)
