"""The where-grammar asked of plain JSON facts: the same words as in a query, for conditions that are no query."""

import operator
from collections.abc import Callable
from typing import Any

from api.fields import is_number
from api.predicate_shapes import is_predicate
from api.predicates import MAX_DEPTH, MAX_NODES

Find = Callable[[str], Any]  # a path's value; None when there is none

_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}
_POSITIVE = {"ne": "eq", "notIn": "in", "notIncludes": "includes", "notExists": "exists"}


def fault(predicate: Any) -> str | None:
    """What is wrong with a predicate over facts, as the end of a sentence; None when nothing is."""
    if not is_predicate(predicate, frozenset()):
        return (
            "is no condition; write it as {op, left: {path}, right: {literal}}, or and, or, not, in, exists, includes"
        )
    nodes, depth = _measured(predicate)
    if nodes > MAX_NODES or depth > MAX_DEPTH:
        return f"is limited to {MAX_NODES} nodes and {MAX_DEPTH} levels"
    return _operand_fault(predicate)


def holds(predicate: Any, find: Find) -> bool:
    """Whether a predicate without fault is true of the facts. A missing value fails it; `ne` is what `eq` is not."""
    op = predicate["op"]
    match op:
        case "and":
            return all(holds(arg, find) for arg in predicate["args"])
        case "or":
            return any(holds(arg, find) for arg in predicate["args"])
        case "not":
            return not holds(predicate["arg"], find)
    if op in _POSITIVE:
        return not _leaf({**predicate, "op": _POSITIVE[op]}, find)
    return _leaf(predicate, find)


def _leaf(node: dict[str, Any], find: Find) -> bool:
    op = node["op"]
    if op == "exists":
        return find(node["path"]) not in (None, [])
    if op == "includes":
        members = find(node["path"])
        return isinstance(members, list) and any(_equal(member, node["value"]) for member in members)
    if op == "in":
        value = find(node["value"]["path"])
        return any(_equal(value, member) for member in node["set"])
    value, wanted = find(node["left"]["path"]), node["right"]["literal"]
    if op == "eq":
        return _equal(value, wanted)
    comparable = (is_number(value) and is_number(wanted)) or (isinstance(value, str) and isinstance(wanted, str))
    return comparable and _ORDERED[op](value, wanted)


def _equal(value: Any, wanted: Any) -> bool:
    if value is None or isinstance(value, bool) != isinstance(wanted, bool):
        return False
    return bool(value == wanted)


def _measured(node: dict[str, Any]) -> tuple[int, int]:
    below = [_measured(arg) for arg in (*node.get("args", ()), *([node["arg"]] if "arg" in node else ()))]
    return 1 + sum(nodes for nodes, _ in below), 1 + max((depth for _, depth in below), default=0)


def _operand_fault(node: dict[str, Any]) -> str | None:
    for arg in (*node.get("args", ()), *([node["arg"]] if "arg" in node else ())):
        if found := _operand_fault(arg):
            return found
    if "left" in node and ("path" not in node["left"] or "literal" not in node["right"]):
        return "compares a path on the left with a literal on the right"
    if "set" in node and "path" not in node["value"]:
        return "asks whether a path is in a set"
    return None
