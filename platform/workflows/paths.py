"""Paths of records in parts: `each[2].inner#3` is item 2 of each, and in it the third iteration of inner."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_PART = re.compile(r"([A-Za-z0-9_-]+)(?:\[(\d+)\]|#(\d+))?")


class Part(NamedTuple):
    """One step on the way: its id, the item of a foreach, the iteration of a loop."""

    name: str
    item: int | None = None
    iteration: int | None = None


def parts(path: str) -> tuple[Part, ...]:
    """The parts of a record's path."""
    found = [_PART.fullmatch(part) for part in path.split(".")]
    return tuple(
        Part(match[1], None if match[2] is None else int(match[2]), None if match[3] is None else int(match[3]))
        for match in found
        if match
    )


def names(path: str) -> tuple[str, ...]:
    """The step ids alone: how callers name a step."""
    return tuple(part.name for part in parts(path))


def matches(path: str, asked: Sequence[str | int]) -> bool:
    """Whether a caller's path leads to the record: step ids in order, each followed by an item if one is meant."""
    way = parts(path)
    at = -1
    for word in asked:
        if isinstance(word, int):
            if at < 0 or way[at].item != word:
                return False
        elif at + 1 < len(way) and way[at + 1].name == word:
            at += 1
        else:
            return False
    return at >= 0
