"""Random predicates over the paths of the tests' tables."""

from typing import Any

from hypothesis import strategies as st

WORDS = ("alpha", "Alpha", "beta", "", " ", "%", "a_b", "é", "123")
TIMES = (
    "2026-01-01T00:00:00Z",
    "2026-01-01T01:00:00.0004+01:00",
    "2025-12-31T23:59:59.999Z",
    "2026-01-01T00:00:00.001Z",
)
NUMBERS = (0, 1, 2, 1.0, 1.5, 0.5, -0.5, 3, 32768, 10**30, -1)
KINDS = {"author": "P", "tags": "A", "status": "number", "createdAt": "time", "leaseUntil": "time", "either": "either"}


def leaves(paths: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Predicates without parts, over some of the paths."""
    return st.sampled_from(paths).flatmap(_leaf)


def _leaf(path: str) -> st.SearchStrategy[Any]:
    presence = st.builds(lambda op: {"op": op, "path": path}, st.sampled_from(("exists", "notExists")))
    kind, words = KINDS.get(path, "S"), st.sampled_from(WORDS)
    if kind == "P":
        return presence
    if kind == "A":
        includes = st.sampled_from(("includes", "notIncludes"))
        there = st.builds(lambda op, value: {"op": op, "path": path, "value": value}, includes, words.filter(str.strip))
        return presence | there
    numbers = st.sampled_from(NUMBERS)
    literals = {"S": words, "number": numbers, "time": st.sampled_from(TIMES), "either": words}[kind]
    equal, ordered = ("eq", "ne"), ("eq", "ne", "lt", "lte", "gt", "gte")
    compared = _compared(path, equal if kind in ("S", "either") else ordered, literals) | _member(path, literals)
    if kind == "either":
        compared |= _compared(path, ordered, numbers) | _member(path, numbers)
    return presence | compared


def _compared(path: str, ops: tuple[str, ...], literals: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda op, literal: {"op": op, "left": {"path": path}, "right": {"literal": literal}},
        st.sampled_from(ops),
        literals,
    )


def _member(path: str, literals: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda op, members: {"op": op, "value": {"path": path}, "set": members},
        st.sampled_from(("in", "notIn")),
        st.lists(literals, min_size=1, max_size=4),
    )


def trees(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Predicates of any shape over these parts."""
    return st.recursive(
        parts,
        lambda inner: (
            st.builds(lambda arg: {"op": "not", "arg": arg}, inner)
            | st.builds(
                lambda op, args: {"op": op, "args": args},
                st.sampled_from(("and", "or")),
                st.lists(inner, min_size=1, max_size=3),
            )
        ),
        max_leaves=8,
    )


_AGENT_WORDS = ("name", "description", "department", "outer", "metadata.k", "metadata.7")
OF_AGENTS = trees(leaves((*_AGENT_WORDS, "createdAt", "author", "tags")))
OF_ANSWERS = trees(leaves(("key", "status", "either", "leaseUntil")))
RELATED = st.builds(lambda which, inner: {"agents": {which: inner}}, st.sampled_from(("some", "none")), OF_AGENTS)
OF_DEPARTMENTS = trees(leaves(("name", "parent")) | RELATED)
