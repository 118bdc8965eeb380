"""What a walk hands out, and what it waits for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workflows.graph import StepNode
from workflows.records import Record

if TYPE_CHECKING:
    from workflows.sequence import Foreach, Sequence

Done = Callable[[Any], None]


@dataclass(slots=True)
class Item:
    """One item of a foreach: it takes a place in the window while any step in it is ready or under way."""

    foreach: "Foreach"
    active: int = 0


@dataclass(slots=True)
class Sleeping:
    """A sleep of the graph's own; `done` goes on behind it."""

    record: Record
    scope: "Sequence"
    done: Done


@dataclass(slots=True)
class Leaf:
    """A step to carry out now."""

    node: StepNode
    record: Record
    scope: "Sequence"
    done: Done
    items: tuple[Item, ...]
    iteration: int = 0

    @property
    def path(self) -> str:
        """Its place."""
        return self.record.path
