"""The nodes of a workflow one after another, at once, for each item, again and again: what is begun when."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from workflows.context import StepFailed
from workflows.expressions import Scope, is_true, mapped
from workflows.graph import (
    BranchNode,
    ForeachNode,
    LoopNode,
    MapNode,
    Node,
    ParallelNode,
    SleepNode,
    StepNode,
    WorkflowNode,
)
from workflows.leaves import Done, Item, Sleeping
from workflows.records import FAILED, WAITING, Record
from workflows.sleeping import end_of_sleep
from workflows.values import kept

if TYPE_CHECKING:
    from workflows.walk import Walk

MOST_ITEMS = 10_000


class Sequence:
    """The nodes of a workflow one after another; each gets the output of the one before."""

    def __init__(
        self, walk: "Walk", outer: "Sequence | None", nodes: tuple[Node, ...], prefix: str, items: tuple[Item, ...],
        init: Any, done: Done,
    ) -> None:  # fmt: skip
        self.walk, self.outer, self.nodes, self.prefix = walk, outer, nodes, prefix
        self.items, self.init, self._done = items, init, done
        self.outputs: dict[str, Any] = {}
        self.is_over = False

    @property
    def is_gone(self) -> bool:
        """Whether what is still to do here no longer counts: it, or a workflow around it, has ended."""
        return self.is_over or (self.outer is not None and self.outer.is_gone)

    def scope(self, given: Any, iteration: int = 0) -> Scope:
        """What expressions see here."""
        return Scope(given, self.init, self.outputs, self.walk.state, iteration)

    def start(self, given: Any, index: int = 0) -> None:
        """From the node at this index on."""
        if index == len(self.nodes):
            self.bail(given)
            return
        self.begin(
            self.nodes[index], given, lambda output: self.walk.later(lambda: self._next(output, index)), self.items
        )

    def _next(self, output: Any, index: int) -> None:
        if not self.is_over:
            self.start(output, index + 1)

    def bail(self, result: Any) -> None:
        """End here, once."""
        if not self.is_over:
            self.is_over = True
            self._done(result)

    def begin(
        self, node: Node, given: Any, done: Done, items: tuple[Item, ...], suffix: str = "", iteration: int = 0
    ) -> None:
        """Start one node."""
        match node:
            case StepNode():
                self.walk.leaf(
                    node, f"{self.prefix}{node.id}{suffix}", self, given, self._kept(node.id, done), items, iteration
                )
            case WorkflowNode():
                self._nested(node, given, self._kept(node.id, done), items, suffix, iteration)
            case ParallelNode():
                _Fork(self, node.nodes, done, items).start(given)
            case BranchNode():
                self._branch(node, given, done, items)
            case ForeachNode():
                Foreach(self, node, self._kept(node.node.id, done), items).start(given)
            case LoopNode():
                _Loop(self, node, self._kept(node.node.id, done), items).start(given)
            case SleepNode():
                self._sleep(node, given, done)
            case MapNode():
                self._map(node, given, self._kept(node.id, done))

    def _kept(self, name: str, done: Done) -> Done:
        def keep(output: Any) -> None:
            self.outputs[name] = output
            done(output)

        return keep

    def _nested(
        self, node: WorkflowNode, given: Any, done: Done, items: tuple[Item, ...], suffix: str, iteration: int
    ) -> None:
        path = f"{self.prefix}{node.id}{suffix}"
        found = self.walk.records.get(path)
        if found is not None and found.is_done:
            done(found.output)
            return
        if found is None and node.mapping is not None:
            given = mapped(node.mapping, self.scope(given, iteration))
        record = self.walk.open(path, node.id, given)
        if fault := self.walk.valid(node.body, record.input):
            record.end(FAILED, error={"message": fault, "name": "InvalidInput"})
            raise StepFailed(fault)

        def ended(output: Any) -> None:
            self.walk.close(record, output)
            done(output)

        Sequence(self.walk, self, node.nodes, f"{path}.", items, record.input, ended).start(record.input)

    def _branch(self, node: BranchNode, given: Any, done: Done, items: tuple[Item, ...]) -> None:
        record = self.walk.open(f"{self.prefix}{node.id}", node.id, given)
        if not record.is_done:
            scope = self.scope(given)
            chosen = [index for index, condition in enumerate(node.conditions) if is_true(condition, scope)]
            names = [_name(node.nodes[index]) for index in chosen]
            record.note(matched=names) if names else record.note(matched=[], reason="No condition was true.")
            self.walk.close(record, {})
        matched = set((record.metadata or {}).get("matched", ()))
        _Fork(self, tuple(arm for arm in node.nodes if _name(arm) in matched), done, items).start(given)

    def _sleep(self, node: SleepNode, given: Any, done: Done) -> None:
        record = self.walk.open(f"{self.prefix}{node.id}", node.id, given)
        if record.is_done:
            done(record.output)
            return
        if record.wake_at is None:
            record.wake_at = end_of_sleep(node, self.scope(given))
            record.status = WAITING
        if record.wake_at > datetime.now(UTC):
            self.walk.block(Sleeping(record, self, done))
            return
        self.walk.close(record, record.input)
        done(record.input)

    def _map(self, node: MapNode, given: Any, done: Done) -> None:
        record = self.walk.open(f"{self.prefix}{node.id}", node.id, given)
        if not record.is_done:
            self.walk.close(record, mapped(node.mapping, self.scope(given)))
        done(record.output)


class _Fork:
    """Several nodes at once; done when all are, with their outputs by id."""

    def __init__(self, scope: Sequence, nodes: tuple[Node, ...], done: Done, items: tuple[Item, ...]) -> None:
        self.scope, self.nodes, self.done, self.items = scope, nodes, done, items
        self.outputs: dict[str, Any] = {}

    def start(self, given: Any) -> None:
        """All of them."""
        if not self.nodes:
            self.done({})
            return
        for node in self.nodes:
            self.scope.begin(node, given, self._ended(_name(node)), self.items)

    def _ended(self, name: str) -> Done:
        def ended(output: Any) -> None:
            self.outputs[name] = output
            if len(self.outputs) == len(self.nodes):
                together = {_name(node): self.outputs[_name(node)] for node in self.nodes}
                self.done(kept(together, "What the steps at once give together"))

        return ended


class Foreach:
    """A node for each item: a window of so many at a time slides over them."""

    def __init__(self, scope: Sequence, node: ForeachNode, done: Done, items: tuple[Item, ...]) -> None:
        self.scope, self.node, self.done, self.items = scope, node, done, items
        self.given: list[Any] = []
        self.outputs: dict[int, Any] = {}
        self.next = self.active = 0
        self.record: Record

    def start(self, given: Any) -> None:
        """The first items."""
        name = self.node.node.id
        self.record = self.scope.walk.open(f"{self.scope.prefix}{name}", name, given, group=True)
        if self.record.is_done:
            self.done(self.record.output)
            return
        if not isinstance(given, list):
            raise StepFailed(f"foreach {name} needs an array, and got {_kind(given)}.")
        if len(given) > MOST_ITEMS:
            raise StepFailed(f"foreach {name} got {len(given)} items; {MOST_ITEMS} are allowed.")
        self.given = given
        if self.record.metadata is None:
            self.record.note(itemCount=len(given))
        self._slide()

    def entered(self) -> None:
        """An item takes a place."""
        self.active += 1

    def left(self) -> None:
        """An item gave its place back."""
        self.active -= 1
        self._slide()

    def _slide(self) -> None:
        while self.next < len(self.given) and self.active < self.node.concurrency:
            index, self.next = self.next, self.next + 1
            item = Item(self)
            suffix = f"[{index}]"
            self.scope.begin(self.node.node, self.given[index], self._ended(index), (*self.items, item), suffix, index)
        if len(self.outputs) == len(self.given) and not self.record.is_done:
            output = kept([self.outputs[index] for index in range(len(self.given))], "What the items give together")
            self.scope.walk.close(self.record, output)
            self.done(output)

    def _ended(self, index: int) -> Done:
        def ended(output: Any) -> None:
            self.outputs[index] = output
            self.scope.walk.later(self._slide)

        return ended


class _Loop:
    """A node on its own output, again and again."""

    def __init__(self, scope: Sequence, node: LoopNode, done: Done, items: tuple[Item, ...]) -> None:
        self.scope, self.node, self.done, self.items = scope, node, done, items
        self.record: Record

    def start(self, given: Any) -> None:
        """The first iteration."""
        name = self.node.node.id
        self.record = self.scope.walk.open(f"{self.scope.prefix}{name}", name, given)
        if self.record.is_done:
            self.done(self.record.output)
            return
        self._again(given, 1)

    def _again(self, given: Any, count: int) -> None:
        self.scope.begin(
            self.node.node, given, lambda output: self.scope.walk.later(lambda: self._ended(output, count)),
            self.items, f"#{count}", count,
        )  # fmt: skip

    def _ended(self, output: Any, count: int) -> None:
        decided = (self.record.metadata or {}).get("iterationCount", 0)
        if decided > count:  # this iteration was followed by another before
            self._again(output, count + 1)
            return
        holds = is_true(self.node.condition, self.scope.scope(output, count))
        self.record.note(iterationCount=count if holds == self.node.until else count + 1)
        self.scope.walk.fresh[self.record.path] = self.record
        if holds == self.node.until:
            self.scope.walk.close(self.record, output)
            self.done(output)
        else:
            self._again(output, count + 1)


def _name(node: Node) -> str:
    assert isinstance(node, StepNode | WorkflowNode)
    return node.id


def _kind(value: Any) -> str:
    kinds: dict[type, str] = {dict: "an object", str: "a text", bool: "true or false", type(None): "nothing"}
    return kinds.get(type(value), "a number")
