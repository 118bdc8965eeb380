"""Advances one run: carries out the steps that are ready and keeps each result, until nothing more can be done now."""

import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from durable.heart import Heart
from durable.ledger import Asked, Hold, Ledger, Lost
from durable.models import FAILED, LOOK, PAUSE, PAUSED, SUCCESS, SUSPENDED, WAITING
from events.publishing import batch
from ground.bridge import on_background
from identity.principal import Principal
from workflows import steps
from workflows.announcing import announce_run, announce_step
from workflows.context import Bailed, StepContext, StepFailed, Suspended
from workflows.definitions import Definition, input_fault
from workflows.functions import function
from workflows.graph import FUNCTION
from workflows.leaves import Leaf
from workflows.messages import send, send_at
from workflows.models import WorkflowRun, WorkflowStep
from workflows.records import RESUMED, Record, read_records
from workflows.values import kept
from workflows.walk import Walk

LEDGER = Ledger(WorkflowRun, WorkflowStep)
HEART = Heart(LEDGER)

MOST_AT_ONCE = 16  # steps of one run
MOST_BUFFERED = 50  # records of pure steps that are kept with the next one


def advance(
    run: WorkflowRun,
    hold: Hold,
    definition: Definition,
    principal: Principal,
    records: dict[str, Record],
    *,
    budget: float | None,
) -> Walk | None:
    """Take the run as far as it goes; the walk it has come to, or None when the run is no longer ours.

    With a `budget` in seconds only quick steps are carried out, in this thread; the rest is handed to a worker.
    """
    driver = _Driver(run, hold, definition, principal, records, budget)
    with batch(), HEART.beating(hold, driver.told):
        try:
            driver.drive()
        except Lost:
            driver.stop()
            return None
        except BaseException:
            driver.stop()
            raise
    return driver.walk


class _Driver:
    def __init__(
        self, run: WorkflowRun, hold: Hold, definition: Definition, principal: Principal, records: dict[str, Record],
        budget: float | None,
    ) -> None:  # fmt: skip
        self.run, self.hold, self.definition, self.principal = run, hold, definition, principal
        self.is_inline = budget is not None
        self.until = time.monotonic() + budget if budget is not None else float("inf")
        self.given, self.state = run.input, dict(run.state or run.initial_state or {})
        self.stopped = threading.Event()
        self.asked = ""
        self.bell: Future[None] = Future()
        self.under_way: dict[Future[steps.Outcome], Leaf] = {}
        self.contexts: dict[str, StepContext] = {}
        self.walk = Walk(definition.nodes, self.given, records, self.state, input_fault)

    def told(self, what: str | None) -> None:
        """The heart has news; heard at the next turn of the loop."""
        self.asked = what or "lost"
        if what is None:
            self.stopped.set()
        if not self.bell.done():
            self.bell.set_result(None)

    def stop(self) -> None:
        """Nothing of what is under way counts any more."""
        self.stopped.set()
        for future in self.under_way:
            future.cancel()

    def drive(self) -> None:
        """Until the run is let go."""
        while not self._turn():
            pass

    def _turn(self) -> bool:
        if self.asked == "lost":
            raise Lost
        if self.asked == LOOK:
            self._look()
        if self.walk.blocked:
            self.walk.wake()
        if self._is_late():
            return self._fail(f"The run was under way for longer than it may ({self._deadline():g} seconds).")
        is_paused = self.asked == PAUSE or (self.run.per_step and self._stepped)
        leaf = None if is_paused or len(self.under_way) >= MOST_AT_ONCE else self.walk.take()
        if leaf is not None:
            return self._begin(leaf)
        if self.under_way and not self.walk.is_finished:
            self._await()
            return False
        if self.under_way:  # what a bail has left behind
            self.stop()
            for left in self.under_way.values():
                self.walk.give_up(left.record)
        return self._let_go(PAUSED) if is_paused and not self._is_settled else self._end()

    _stepped = False

    @property
    def _is_settled(self) -> bool:
        return self.walk.is_finished or self.walk.error is not None

    # --- one step -----------------------------------------------------------------------------------------------------

    def _begin(self, leaf: Leaf) -> bool:
        found = steps.runs_here(leaf.node)
        # With nothing beside it that could go on meanwhile, it needs no thread of its own.
        alone = not self.under_way and (self.is_inline or not (self.walk.ready or self.walk.blocked))
        if self.is_inline and (found is None or not found.is_quick or time.monotonic() > self.until):
            self.walk.give_back(leaf)
            return self._hand_over()
        if found is None or not found.is_quick:
            self._show(leaf)
        context = self._context(leaf)
        announce_step(self.run, self.definition.workflow_id, leaf.record, "started")
        if found is None or not (alone or found.transactional):
            self.under_way[on_background(steps.call(leaf.node, leaf.record.input, context))] = leaf
            return False
        held: AbstractContextManager[Any] = transaction.atomic() if found.transactional else nullcontext()
        with held:
            outcome = steps.call_here(found, leaf.record.input, context)
            if found.transactional and isinstance(outcome, steps.Failed | Suspended):
                transaction.set_rollback(True)  # it is carried out again, from the beginning
            else:
                self._settle(leaf, outcome)
                self._keep(defer=found.pure, now=found.transactional)
                return False
        self._settle(leaf, outcome)
        self._keep()
        return False

    def _show(self, leaf: Leaf) -> None:
        """Keep that a step which takes its time is under way, so that whoever looks at the run sees it."""
        self.walk.fresh[leaf.path] = leaf.record
        self.asked = LEDGER.commit(self.hold, self._rows(), **self._changes()) or self.asked

    def _context(self, leaf: Leaf) -> StepContext:
        record = leaf.record
        context = self.contexts[leaf.path] = StepContext(
            principal=self.principal,
            workflow_id=self.definition.workflow_id,
            run_id=self.run.run_id,
            step_id=record.step_id,
            path=record.path,
            init_data=leaf.scope.init,
            idempotency_key=f"{self.run.id}:{record.path}",
            retry_count=record.attempts - 1,
            resume_data=record.resume_payload,
            suspend_payload=record.suspend_payload,
            iteration_count=leaf.iteration,
            deadline=self.run.deadline_at,
            request_context=self.run.request_context or {},
            state=dict(self.state),
            results=dict(leaf.scope.outputs),
            stopped=self.stopped,
        )
        return context

    def _settle(self, leaf: Leaf, outcome: steps.Outcome) -> None:
        self._stepped = True
        outcome = self._with_state(self.contexts.pop(leaf.path).changes, outcome)
        match outcome:
            case steps.Succeeded(output):
                self.walk.succeed(leaf, output)
            case Suspended():
                self.walk.suspend(leaf, outcome.payload, outcome.label)
            case Bailed():
                self.walk.bail(leaf, outcome.result)
            case steps.Failed():
                self._failed(leaf, outcome)
        announce_step(self.run, self.definition.workflow_id, leaf.record, "finished")

    def _with_state(self, changes: dict[str, Any], outcome: steps.Outcome) -> steps.Outcome:
        """Take over what the step changed in the state; it fails when that cannot be kept."""
        if changes and not isinstance(outcome, steps.Failed):
            try:
                self.state = self.walk.state = kept({**self.state, **changes}, "The state")
            except StepFailed as failure:
                return steps.Failed({"message": failure.sentence, "name": "StepFailed"}, final=True)
        return outcome

    def _failed(self, leaf: Leaf, failure: steps.Failed) -> None:
        allowed, delay = self._retries(leaf)
        if failure.final or leaf.record.attempts > allowed:
            self.walk.fail(leaf, failure.error)
        else:
            self.walk.retry(leaf, delay)

    def _retries(self, leaf: Leaf) -> tuple[int, float]:
        """How many executions more a step has, and the seconds between: its own, its function's, the workflow's."""
        general = self.definition.body.get("retries", {})
        found = function(leaf.node.ref) if leaf.node.kind == FUNCTION else None
        own = (leaf.node.retries, found.retries if found else None, general.get("attempts", 0))
        delays = (leaf.node.retry_delay, found.retry_delay if found else None, general.get("delay", 0) / 1000)
        return next(n for n in own if n is not None), next(seconds for seconds in delays if seconds is not None)

    def _await(self) -> None:
        """Until a step has ended, somebody asks something, or the time of the run is over."""
        ends = [moment for moment in (self.run.deadline_at, self.walk.wakes_at()) if moment is not None]
        left = max(0.0, (min(ends) - datetime.now(UTC)).total_seconds()) if ends else None
        awaited: list[Future[Any]] = [*self.under_way, self.bell]
        wait(awaited, timeout=left, return_when=FIRST_COMPLETED)
        if self.bell.done():
            self.bell = Future()
        ended = [future for future in self.under_way if future.done()]
        for future in ended:
            leaf = self.under_way.pop(future)
            self._settle(leaf, _result(future))
        if ended:
            self._keep()

    # --- keeping ------------------------------------------------------------------------------------------------------

    def _changes(self) -> dict[str, Any]:
        return {"step_count": len(self.walk.records), "state": self.state or None}

    def _rows(self) -> list[dict[str, Any]]:
        return [record.row() for record in self.walk.changed()]

    def _keep(self, *, defer: bool = False, now: bool = False) -> None:
        """Commit what has happened, unless it is kept in a moment together with the end of the run."""
        if not now and not self.under_way and not self.walk.ready:
            return
        if defer and len(self.walk.fresh) < MOST_BUFFERED:
            return
        self.asked = LEDGER.commit(self.hold, self._rows(), **self._changes()) or self.asked

    def _look(self) -> None:
        """Steps were resumed while we hold the run."""
        self.asked = ""
        LEDGER.commit(self.hold, self._rows(), **self._changes(), control="")
        for record in read_records(WorkflowStep.objects.filter(run_id=self.run.id, status=RESUMED)).values():
            self.walk.resume(record)

    def _is_late(self) -> bool:
        return self.run.deadline_at is not None and self.run.deadline_at <= datetime.now(UTC)

    def _deadline(self) -> float:
        return float(self.definition.body.get("deadline", settings.RUN_DEADLINE_SECONDS))

    # --- letting go ---------------------------------------------------------------------------------------------------

    def _end(self) -> bool:
        walk = self.walk
        if walk.is_finished:
            return self._let_go(SUCCESS, result=walk.result, ended_at=True)
        if walk.error is not None:
            return self._let_go(FAILED, error=walk.error, ended_at=True)
        if (wakes_at := walk.wakes_at()) is not None:
            seconds = max(0.0, (wakes_at - datetime.now(UTC)).total_seconds())
            done = self._let_go(WAITING, due_in=seconds, deadline_in=seconds)
            if done:
                send_at(self.run.id, seconds)
            return done
        return self._let_go(SUSPENDED)

    def _fail(self, sentence: str) -> bool:
        self.stop()
        self.walk.error = {"message": sentence, "name": "DeadlineExceeded"}
        return self._let_go(FAILED, error=self.walk.error, ended_at=True)

    def _let_go(self, status: str, **changes: Any) -> bool:
        """False when somebody asked for something meanwhile: then there is more to do."""
        rows = self._rows()
        if not self._released(rows, status=status, **changes):
            return False
        self.run.status, self.run.updated_at = status, datetime.now(UTC)
        self.run.result, self.run.error = changes.get("result"), changes.get("error")
        if "ended_at" in changes:
            self.run.ended_at = self.run.updated_at
        announce_run(self.run, self.definition.workflow_id)
        return True

    def _hand_over(self) -> bool:
        if not self._released(self._rows(), due_in=0, messaged_at=True):
            return False
        send(self.run.id)
        return True

    def _released(self, rows: list[dict[str, Any]], **changes: Any) -> bool:
        answering = PAUSE if changes.get("status") == PAUSED else ""
        try:
            LEDGER.release(self.hold, rows, answering=answering, **self._changes(), **changes)
        except Asked:
            self.asked = LEDGER.commit(self.hold, rows, **self._changes())
            return False
        return True


def _result(future: "Future[steps.Outcome]") -> steps.Outcome:
    if future.cancelled():
        return steps.Failed({"message": "The step was stopped.", "name": "Stopped"})
    return future.result()
