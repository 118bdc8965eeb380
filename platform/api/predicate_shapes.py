"""The shape of the where-grammar, before any field is looked up."""

from typing import Any

from api.fields import MAX_STRING

MAX_SET = 100
MAX_PATH = 128  # UTF-8 bytes

_KEYS = {
    op: frozenset(keys.split())
    for ops, keys in (
        ("eq ne lt lte gt gte", "op left right"),
        ("in notIn", "op value set"),
        ("exists notExists", "op path"),
        ("includes notIncludes", "op path value"),
        ("and or", "op args"),
        ("not", "op arg"),
    )
    for op in ops.split()
}


def is_predicate(node: Any, related: frozenset[str]) -> bool:
    """Whether the value is a predicate; `related` are the names of related clauses that it may hold."""
    if not isinstance(node, dict):
        return False
    op = node.get("op")
    if not isinstance(op, str) or op not in _KEYS:
        return _is_related(node, related)
    if set(node) != _KEYS[op]:
        return False
    if op in ("and", "or"):
        args = node["args"]
        return isinstance(args, list) and bool(args) and all(is_predicate(arg, related) for arg in args)
    if op == "not":
        return is_predicate(node["arg"], related)
    return _is_leaf(node)


def _is_leaf(node: dict[str, Any]) -> bool:
    if "left" in node:
        return _is_operand(node["left"]) and _is_operand(node["right"])
    if "set" in node:
        members = node["set"]
        right_size = isinstance(members, list) and 1 <= len(members) <= MAX_SET
        return right_size and _is_operand(node["value"]) and all(_is_literal(member) for member in members)
    if "value" in node:
        value = node["value"]
        return _is_path(node["path"]) and isinstance(value, str) and bool(value.strip()) and _is_literal(value)
    return _is_path(node["path"])


def _is_related(node: dict[str, Any], related: frozenset[str]) -> bool:
    [(name, quantifier)] = node.items() if len(node) == 1 else [("", None)]
    if name not in related or not isinstance(quantifier, dict) or len(quantifier) != 1:
        return False
    [(which, inner)] = quantifier.items()
    return which in ("some", "none") and is_predicate(inner, frozenset())


def _is_operand(side: Any) -> bool:
    if not isinstance(side, dict) or len(side) != 1:
        return False
    return _is_path(side["path"]) if "path" in side else "literal" in side and _is_literal(side["literal"])


def _is_path(path: Any) -> bool:
    return isinstance(path, str) and 1 <= _size(path) <= MAX_PATH


def _is_literal(value: Any) -> bool:
    if isinstance(value, str):
        return _size(value) <= MAX_STRING
    return value is None or isinstance(value, bool | int | float)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
