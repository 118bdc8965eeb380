"""Walks a graph over the records of a run: which steps are ready now, and what the run has come to.

Pure: nothing here reads a database, carries out a step or looks at anything but the clock. Steps that have a record are
passed with the output kept in it, so the same walk starts a run, resumes it, and takes it up after a crash. What is
decided on the way (branches, loops, mappings) is recorded too and never decided twice.
"""

from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from workflows.context import StepFailed
from workflows.expressions import Scope, mapped
from workflows.graph import Node, StepNode
from workflows.leaves import Done, Item, Leaf, Sleeping
from workflows.records import BAILED, CANCELED, FAILED, RUNNING, SUCCESS, SUSPENDED, WAITING, Record, new_record, now
from workflows.sequence import Sequence
from workflows.values import kept

MOST_RECORDS = 10_000
MOST_GROUPS = 500

Validate = Callable[[Mapping[str, Any], Any], str | None]


class Walk:
    """The state of one run. `fresh` are the records that changed since they were last kept."""

    def __init__(
        self, nodes: tuple[Node, ...], given: Any, records: dict[str, Record], state: dict[str, Any], valid: Validate
    ) -> None:
        self.given, self.records, self.state, self.valid = given, records, state, valid
        self.ready: deque[Leaf] = deque()
        self.under_way = 0
        self.fresh: dict[str, Record] = {}
        self.blocked: dict[str, Leaf | Sleeping] = {}
        self.error: dict[str, Any] | None = None
        self.is_finished, self.result = False, None
        self._groups: set[str] = set()
        self._agenda: deque[Callable[[], None]] = deque()
        root = Sequence(self, None, nodes, "", (), given, self._finish)
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

    def block(self, waiting: "Leaf | Sleeping") -> None:
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

    def leaf(self, node: StepNode, path: str, scope: "Sequence", given: Any, done: Done, items: tuple[Item, ...],
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
