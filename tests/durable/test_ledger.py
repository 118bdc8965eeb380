"""Leases and fences: one holder, and nothing from a former one."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.test import override_settings

from durable.ledger import Asked, Hold, Lost
from durable.models import CANCELED, LOOK, PAUSE, RUNNING, SUCCESS, SUSPENDED, WAITING
from tests.cast import Cast
from tests.durable.rows import make_run, row
from tests.queries import counted_queries
from tests.workflows import flows  # noqa: F401  (registers the workflows)
from workflows.engine import LEDGER
from workflows.models import WorkflowRun, WorkflowStep
from workflows.records import new_record


def hold_of(run: WorkflowRun) -> Hold:
    """Take a run up."""
    claimed = LEDGER.claim(run.id)
    assert claimed is not None
    return Hold(claimed.id, claimed.fence)


def record(path: str = "add", **facts: Any) -> dict[str, Any]:
    """A step's record as it is kept."""
    return {**new_record(path, path, 0, {"n": 1}).row(), "status": SUCCESS, **facts}


def test_of_many_at_once_one_takes_a_run_up(cast: Cast) -> None:
    run = make_run(cast)

    def claim(_: int) -> bool:
        try:
            return LEDGER.claim(run.id) is not None
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(claim, range(16))) == 1
    assert (row(run)["status"], row(run)["fence"], row(run)["takings"]) == (RUNNING, 1, 1)


@pytest.mark.parametrize("due_in", [None, 60])
def test_what_is_not_due_is_left_alone(cast: Cast, due_in: float | None) -> None:
    run = make_run(cast, due_in=due_in)

    assert LEDGER.claim(run.id) is None
    assert row(run)["fence"] == 0


def test_a_lapsed_lease_is_taken_over_and_the_former_holder_writes_nothing(cast: Cast) -> None:
    run = make_run(cast)
    with override_settings(RUN_LEASE_SECONDS=0.01):
        former = hold_of(run)
    time.sleep(0.05)  # the lease lapses
    holder = hold_of(run)

    for write in (LEDGER.commit, LEDGER.release):
        with pytest.raises(Lost):
            write(former, [record()], status=SUCCESS)
    assert WorkflowStep.objects.filter(run=run).count() == 0
    assert LEDGER.commit(holder, [record()]) == ""
    assert WorkflowStep.objects.filter(run=run).count() == 1


def test_a_commit_keeps_records_and_lease_in_one_statement(cast: Cast) -> None:
    run = make_run(cast)
    hold = hold_of(run)

    with counted_queries() as seen:
        LEDGER.commit(hold, [record("add", output={"n": 2}), record("each[3]", output=None)], step_count=2)

    assert len(seen) == 1
    kept = {step.path: step for step in WorkflowStep.objects.filter(run=run)}
    assert (kept["add"].output, kept["each[3]"].output) == ({"n": 2}, None)
    assert (row(run)["step_count"], row(run)["takings"]) == (2, 0)


def test_a_record_that_is_kept_again_takes_the_place_of_the_former(cast: Cast) -> None:
    run = make_run(cast)
    hold = hold_of(run)
    first = record(status=SUSPENDED, suspend_payload={"why": "é \" ' %s"})

    LEDGER.commit(hold, [first])
    LEDGER.commit(hold, [{**first, "status": SUCCESS, "output": [1]}])

    [kept] = WorkflowStep.objects.filter(run=run)
    assert (kept.status, kept.output, kept.suspend_payload) == (SUCCESS, [1], {"why": "é \" ' %s"})


def test_a_released_run_is_taken_up_when_it_is_due(cast: Cast) -> None:
    run = make_run(cast)
    LEDGER.release(hold_of(run), [], status=WAITING, due_in=0.1)
    assert (row(run)["owner"], row(run)["status"]) == ("", WAITING)
    assert LEDGER.claim(run.id) is None

    time.sleep(0.15)  # it becomes due

    assert LEDGER.claim(run.id) is not None


def test_a_question_stops_the_release_and_not_the_end(cast: Cast) -> None:
    run = make_run(cast)
    hold = hold_of(run)
    assert LEDGER.ask(run.id, LOOK)

    with pytest.raises(Asked):
        LEDGER.release(hold, [record()], status=SUSPENDED)
    assert WorkflowStep.objects.filter(run=run).count() == 0
    assert LEDGER.commit(hold, []) == LOOK
    LEDGER.release(hold, [], status=SUCCESS)
    assert row(run)["status"] == SUCCESS


def test_a_cancelled_run_is_lost_to_its_holder_at_once(cast: Cast) -> None:
    run = make_run(cast)
    hold = hold_of(run)

    assert LEDGER.cancel(run.id)

    with pytest.raises(Lost):
        LEDGER.commit(hold, [record()])
    assert LEDGER.renew([hold]) == {}
    assert (row(run)["status"], row(run)["due_at"]) == (CANCELED, None)
    assert not LEDGER.cancel(run.id)
    assert LEDGER.claim(run.id) is None


def test_pausing_asks_the_holder_or_stops_who_has_none(cast: Cast) -> None:
    held, idle = make_run(cast), make_run(cast, due_in=60)
    hold = hold_of(held)

    assert LEDGER.pause(held.id)
    assert LEDGER.pause(idle.id)

    assert LEDGER.commit(hold, []) == PAUSE
    assert (row(idle)["status"], row(idle)["due_at"]) == ("paused", None)


def test_heartbeats_lengthen_what_is_held_together(cast: Cast) -> None:
    runs = [make_run(cast) for _ in range(3)]
    holds = [hold_of(run) for run in runs]
    LEDGER.cancel(runs[0].id)
    LEDGER.ask(runs[1].id, LOOK)
    before = row(runs[2])["due_at"]

    with counted_queries() as seen:
        kept = LEDGER.renew(holds)

    assert len(seen) == 1
    assert kept == {runs[1].id: LOOK, runs[2].id: ""}
    assert row(runs[2])["due_at"] > before


def test_the_sweep_finds_what_nobody_was_told_of_once(cast: Cast) -> None:
    due, told, later, suspended = (
        make_run(cast),
        make_run(cast),
        make_run(cast, due_in=60),
        make_run(cast, due_in=None, status=SUSPENDED),
    )
    LEDGER.sweep(100_000)
    WorkflowRun.objects.filter(pk=due.pk).update(messaged_at=None)

    found = LEDGER.sweep(100_000)

    assert due.id in found
    assert not {told.id, later.id, suspended.id} & set(found)
    assert due.id not in LEDGER.sweep(100_000)
    with override_settings(RUN_MESSAGE_SECONDS=0):
        assert {due.id, told.id} <= set(LEDGER.sweep(100_000))


def test_five_thousand_suspended_runs_cost_a_sweep_nothing(cast: Cast) -> None:
    model = make_run(cast, due_in=None, status=SUSPENDED)
    rows = []
    for number in range(5000):
        copy = WorkflowRun.objects.get(pk=model.pk) if number == 0 else rows[0]
        fields = {f.attname: getattr(copy, f.attname) for f in WorkflowRun._meta.concrete_fields if f.name != "id"}
        rows.append(WorkflowRun(**{**fields, "run_id": f"{model.run_id}-{number}"}))
    WorkflowRun.objects.bulk_create(rows, batch_size=1000)
    LEDGER.sweep(100_000)

    begun = time.perf_counter()
    LEDGER.sweep()

    assert time.perf_counter() - begun < 0.05
    WorkflowRun.objects.filter(workflow_id=model.workflow_id).delete()
