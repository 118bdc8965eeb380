"""Walks a graph over the records of a run: which steps are ready now, and what the run has come to.

Pure: nothing here reads a database, carries out a step or looks at anything but the clock. Steps that have a record are
passed with the output kept in it, so the same walk starts a run, resumes it, and takes it up after a crash. What is
decided on the way (branches, loops, mappings) is recorded too and never decided twice.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

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
from workflows.records import BAILED, CANCELED, FAILED, RUNNING, SUCCESS, SUSPENDED, WAITING, Record, new_record, now
from workflows.values import kept

MOST_ITEMS = 10_000
MOST_RECORDS = 10_000
MOST_GROUPS = 500
MOST_SLEEP = timedelta(days=366)

Done = Callable[[Any], None]
Validate = Callable[[Mapping[str, Any], Any], str | None]


@dataclass(slots=True)
class Item:
    """One item of a foreach: it takes a place in the window while any step in it is ready or under way."""

    foreach: "_Foreach"
    active: int = 0


@dataclass(slots=True)
class _Sleeping:
    """A sleep of the graph's own; `done` goes on behind it."""

    record: Record
    scope: "_Sequence"
    done: Done


@dataclass(slots=True)
class Leaf:
    """A step to carry out now."""

    node: StepNode
    record: Record
    scope: "_Sequence"
    done: Done
    items: tuple[Item, ...]
    iteration: int = 0

    @property
    def path(self) -> str:
        """Its place."""
        return self.record.path


class Walk:
    """The state of one run. `fresh` are the records that changed since they were last kept."""

    def __init__(
        self, nodes: tuple[Node, ...], given: Any, records: dict[str, Record], state: dict[str, Any], valid: Validate
    ) -> None:
        self.given, self.records, self.state, self.valid = given, records, state, valid
        self.ready: deque[Leaf] = deque()
        self.under_way = 0
        self.fresh: dict[str, Record] = {}
        self.blocked: dict[str, Leaf | _Sleeping] = {}
        self.error: dict[str, Any] | None = None
        self.is_finished, self.result = False, None
        self._groups: set[str] = set()
        self._agenda: deque[Callable[[], None]] = deque()
        root = _Sequence(self, None, nodes, "", (), given, self._finish)
        self._agenda.append(lambda: root.start(given))
        self._settle()

    def _finish(self, result: Any) -> None:
        self.is_finished, self.result = True, kept(result, "The result")
        self.ready.clear()

    def take(self) -> Leaf | None:
        """The next step to carry out; it is under way from now on."""
        while self.error is None and self.ready:
            leaf = self.ready.popleft()
            if not leaf.scope.is_gone:
                self.under_way += 1
                return leaf
        return None

    def give_back(self, leaf: Leaf) -> None:
        """The step was not begun after all."""
        self.under_way -= 1
        self.ready.appendleft(leaf)

    def succeed(self, leaf: Leaf, output: Any) -> None:
        """The step's output."""
        leaf.record.end(SUCCESS, output=output)
        self._over(leaf, lambda: leaf.done(output))

    def bail(self, leaf: Leaf, result: Any) -> None:
        """The step ends the workflow that it is in."""
        leaf.record.end(BAILED, output=result)
        self._over(leaf, lambda: leaf.scope.bail(result))

    def fail(self, leaf: Leaf, error: dict[str, Any]) -> None:
        """The step failed for good."""
        leaf.record.end(FAILED, error=error)
        self._over(leaf, lambda: self._failed(error))

    def suspend(self, leaf: Leaf, payload: Any, label: str | None) -> None:
        """The step waits for a person."""
        leaf.record.status, leaf.record.suspend_payload, leaf.record.suspended_at = SUSPENDED, payload, now()
        leaf.record.resume_payload = leaf.record.resumed_at = None
        leaf.record.metadata = {"label": label} if label else None
        self._over(leaf, lambda: self.block(leaf))

    def resume(self, row: Record) -> None:
        """A suspended step of this run was given what it waits for."""
        leaf = self.blocked.get(row.path)
        if isinstance(leaf, Leaf) and leaf.record.status == SUSPENDED:
            del self.blocked[row.path]
            record = leaf.record
            record.status, record.resume_payload, record.resumed_at = row.status, row.resume_payload, row.resumed_at
            self._activate(leaf)

    def retry(self, leaf: Leaf, delay: float) -> None:
        """The step is to be tried again, after so many seconds."""
        leaf.record.attempts += 1
        if delay <= 0:
            self._over(leaf, lambda: self._activate(leaf))
            return
        leaf.record.status, leaf.record.wake_at = WAITING, now() + timedelta(seconds=delay)
        self._over(leaf, lambda: self.block(leaf))

    def wake(self) -> None:
        """Go on with what has slept long enough."""
        moment = datetime.now(UTC)
        for path, waiting in list(self.blocked.items()):
            record = waiting.record
            if record.wake_at is None or record.wake_at > moment:
                continue
            del self.blocked[path]
            if isinstance(waiting, Leaf):
                record.status, record.wake_at = RUNNING, None
                self._activate(waiting)
            else:
                self.close(record, record.input)
                self._agenda.append(partial(waiting.done, record.input))
        self._settle()

    def wakes_at(self) -> datetime | None:
        """When the first of the sleeping steps wakes."""
        return min((record.wake_at for record in self._waiting() if record.wake_at), default=None)

    def suspended(self) -> list[Record]:
        """The steps that wait for a person, in the order in which they began."""
        found = [record for record in self._waiting() if record.status == SUSPENDED]
        return sorted(found, key=lambda record: record.position)

    def _waiting(self) -> list[Record]:
        return [waiting.record for waiting in self.blocked.values() if not waiting.scope.is_gone]

    def changed(self) -> list[Record]:
        """The records to keep; they count as kept."""
        found = list(self.fresh.values())
        self.fresh.clear()
        return found

    # --- the agenda: what follows from what has happened --------------------------------------------------------------

    def _settle(self) -> None:
        while self._agenda and self.error is None and not self.is_finished:
            act = self._agenda.popleft()
            try:
                act()
            except StepFailed as failure:
                self._failed({"message": failure.sentence, "name": "StepFailed"})
        self._agenda.clear()
        for path, waiting in list(self.blocked.items()):
            if waiting.scope.is_gone:  # a workflow has ended without it
                del self.blocked[path]
                self.give_up(waiting.record)

    def give_up(self, record: Record) -> None:
        """The step is not needed any more."""
        record.end(CANCELED)
        self.fresh[record.path] = record

    def _over(self, leaf: Leaf, act: Callable[[], None]) -> None:
        self.under_way -= 1
        self.fresh[leaf.path] = leaf.record
        self._agenda.append(act)
        self._agenda.append(lambda: self._leave(leaf))
        self._settle()

    def _leave(self, leaf: Leaf) -> None:
        for item in leaf.items:
            item.active -= 1
            if not item.active:
                item.foreach.left()

    def _activate(self, leaf: Leaf) -> None:
        for item in leaf.items:
            item.active += 1
            if item.active == 1:
                item.foreach.entered()
        self.ready.append(leaf)

    def block(self, waiting: "Leaf | _Sleeping") -> None:
        """It goes on later, or when somebody resumes it."""
        self.blocked[waiting.record.path] = waiting

    def _failed(self, error: dict[str, Any]) -> None:
        self.error = self.error or error
        self.ready.clear()

    def later(self, act: Callable[[], None]) -> None:
        """Do it after what is being done; so that long chains need no deep stack."""
        self._agenda.append(act)

    # --- records ------------------------------------------------------------------------------------------------------

    def open(self, path: str, name: str, given: Any, *, group: bool = False) -> Record:
        """The record at this place; a new one when there is none. That of a foreach as a whole does not count."""
        if group and len(self._groups) < MOST_GROUPS:
            self._groups.add(path)
        found = self.records.get(path)
        if found is None:
            found = self.fresh[path] = self._new(path, name, given)
        return found

    def _new(self, path: str, name: str, given: Any) -> Record:
        if len(self.records) >= MOST_RECORDS + len(self._groups):
            raise StepFailed(f"The run has more than {MOST_RECORDS} step records.")
        record = self.records[path] = new_record(path, name, len(self.records), given)
        return record

    def close(self, record: Record, output: Any) -> None:
        """A record of the walk's own has its output."""
        record.end(SUCCESS, output=output)
        self.fresh[record.path] = record

    def leaf(self, node: StepNode, path: str, scope: "_Sequence", given: Any, done: Done, items: tuple[Item, ...],
             iteration: int = 0) -> None:  # fmt: skip
        """Pass a step that has its output, wait for one that waits, make the others ready."""
        record = self.records.get(path)
        if record is not None and record.is_done:
            if record.status == BAILED:
                scope.bail(record.output)
            else:
                done(record.output)
            return
        if record is not None and record.status == FAILED:
            self._failed(record.error)
            return
        if record is None:
            record = self._new(path, node.id, given)
            if node.mapping is not None:
                record.input = self._mapped(record, node.mapping, scope.scope(given, iteration))
        leaf = Leaf(node, record, scope, done, items, iteration)
        sleeping = record.status == WAITING and record.wake_at is not None and record.wake_at > datetime.now(UTC)
        if record.status == SUSPENDED or sleeping:
            self.block(leaf)
            return
        if record.status == WAITING:
            record.status, record.wake_at = RUNNING, None
        self._activate(leaf)

    def _mapped(self, record: Record, mapping: Any, scope: Scope) -> Any:
        try:
            return mapped(mapping, scope)
        except StepFailed as failure:
            record.end(FAILED, error={"message": failure.sentence, "name": "StepFailed"})
            self.fresh[record.path] = record
            raise


class _Sequence:
    """The nodes of a workflow one after another; each gets the output of the one before."""

    def __init__(
        self, walk: Walk, outer: "_Sequence | None", nodes: tuple[Node, ...], prefix: str, items: tuple[Item, ...],
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
                _Foreach(self, node, self._kept(node.node.id, done), items).start(given)
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

        _Sequence(self.walk, self, node.nodes, f"{path}.", items, record.input, ended).start(record.input)

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
            record.wake_at = _until(node, self.scope(given))
            record.status = WAITING
        if record.wake_at > datetime.now(UTC):
            self.walk.block(_Sleeping(record, self, done))
            return
        self.walk.close(record, record.input)
        done(record.input)

    def _map(self, node: MapNode, given: Any, done: Done) -> None:
        record = self.walk.open(f"{self.prefix}{node.id}", node.id, given)
        if not record.is_done:
            self.walk.close(record, mapped(node.mapping, self.scope(given)))
        done(record.output)


def _name(node: Node) -> str:
    assert isinstance(node, StepNode | WorkflowNode)
    return node.id


def _until(node: SleepNode, scope: Scope) -> datetime:
    if node.date is not None:
        return _date(node.date if _is_date(node.date) else mapped(node.date, scope))
    duration = mapped(node.duration, scope)
    if isinstance(duration, bool) or not isinstance(duration, int | float) or not duration >= 0:
        raise StepFailed("A sleep needs a number of milliseconds that is not negative.")
    return now() + timedelta(milliseconds=min(duration, MOST_SLEEP / timedelta(milliseconds=1)))


def _is_date(value: Any) -> bool:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


def _date(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else None
    if moment is None and _is_date(value):
        moment = datetime.fromisoformat(value)
    if moment is None:
        raise StepFailed("A sleep until a date needs an ISO date, such as 2030-01-31T09:00:00Z.")
    if not 1970 <= moment.year <= 9998:  # a zone could carry it out of the calendar
        moment = datetime(1970 if moment.year < 1970 else 9998, 1, 1, tzinfo=UTC)
    return min(moment if moment.tzinfo else moment.replace(tzinfo=UTC), datetime.now(UTC) + MOST_SLEEP)


class _Fork:
    """Several nodes at once; done when all are, with their outputs by id."""

    def __init__(self, scope: _Sequence, nodes: tuple[Node, ...], done: Done, items: tuple[Item, ...]) -> None:
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


class _Foreach:
    """A node for each item: a window of so many at a time slides over them."""

    def __init__(self, scope: _Sequence, node: ForeachNode, done: Done, items: tuple[Item, ...]) -> None:
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

    def __init__(self, scope: _Sequence, node: LoopNode, done: Done, items: tuple[Item, ...]) -> None:
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


def _kind(value: Any) -> str:
    kinds: Mapping[type, str] = {dict: "an object", str: "a text", bool: "true or false", type(None): "nothing"}
    return kinds.get(type(value), "a number")
