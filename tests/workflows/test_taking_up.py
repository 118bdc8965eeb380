"""A worker takes up a run: rights of now, code of then, and an end for what gets no further."""

from typing import Any

import pytest

from credentials.actions import revoke_key
from credentials.models import ApiKey
from durable.models import FAILED, SUSPENDED
from ground.errors import Conflict
from tests.cast import Cast
from tests.workflows.client import Runs
from workflows import functions
from workflows.actions import resume_run
from workflows.models import WorkflowRun
from workflows.taking_up import take_up


@pytest.fixture
def stranded(ben: Runs, cast: Cast) -> WorkflowRun:
    """A run whose process died before its first step."""
    ben.start("t-suspend", {"n": 1}, run_id="x1")
    run: WorkflowRun = WorkflowRun.objects.get(tenant=cast.tenant, run_id="x1")
    run.steps.all().delete()
    WorkflowRun.objects.filter(pk=run.pk).update(status="running", owner="gone", due_at=run.created_at, step_count=0)
    return run


def now(run: WorkflowRun) -> WorkflowRun:
    """The row as it is."""
    return WorkflowRun.objects.get(pk=run.pk)


def test_a_stranded_run_goes_on(stranded: WorkflowRun) -> None:
    assert take_up(stranded.id)

    assert (now(stranded).status, now(stranded).owner) == (SUSPENDED, "")
    assert not take_up(stranded.id)


def test_a_revoked_key_ends_the_run_with_a_sentence(stranded: WorkflowRun, cast: Cast) -> None:
    key = ApiKey.objects.get(lookup=now(stranded).credential_id)
    revoke_key(cast.ana.principal, key)

    take_up(stranded.id)

    sentence = "The user or the credential that started this run is no longer active; start it anew."
    assert (now(stranded).status, now(stranded).error) == (FAILED, {"message": sentence, "name": "Unauthenticated"})


def test_an_inactive_user_ends_the_run(stranded: WorkflowRun, cast: Cast) -> None:
    cast.ben.membership.is_active = False
    cast.ben.membership.save()

    take_up(stranded.id)

    assert now(stranded).error["name"] == "Unauthenticated"


def test_a_run_that_kills_its_workers_is_given_up(stranded: WorkflowRun) -> None:
    WorkflowRun.objects.filter(pk=stranded.pk).update(takings=5)

    take_up(stranded.id)

    assert now(stranded).error == {
        "message": "The run was taken up 5 times without getting any further, and was given up.",
        "name": "GivenUp",
    }


def test_changed_code_is_refused_and_not_guessed_at(
    stranded: WorkflowRun, ben: Runs, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="x2")

    def add(data: Any) -> Any:
        return {"n": data["n"] + 1000}

    monkeypatch.setitem(functions._functions, "add", functions.StepFunction("add", add))
    take_up(stranded.id)
    with pytest.raises(Conflict, match="The code of add changed while this run was under way"):
        resume_run(cast.ben.principal, "t-suspend", "x2", resume_data={"ok": True})

    assert now(stranded).error["name"] == "CodeChanged"
    assert ben.run("t-suspend", "x2")["status"] == SUSPENDED


def test_a_run_over_its_deadline_fails_with_a_sentence(stranded: WorkflowRun) -> None:
    WorkflowRun.objects.filter(pk=stranded.pk).update(deadline_at=stranded.created_at)

    take_up(stranded.id)

    sentence = "The run was under way for longer than it may (86400 seconds)."
    assert now(stranded).error == {"message": sentence, "name": "DeadlineExceeded"}


def test_the_time_of_a_suspended_run_stands_still(ben: Runs, cast: Cast) -> None:
    ben.start("t-parallel-waits", {"n": 1}, run_id="d1")
    run = WorkflowRun.objects.get(tenant=cast.tenant, run_id="d1")
    early = run.updated_at.replace(year=run.updated_at.year - 1)
    WorkflowRun.objects.filter(pk=run.pk).update(deadline_at=early.replace(hour=23), updated_at=early.replace(hour=0))

    answer = ben.resume("t-parallel-waits", "d1", "yes", step="ask")

    assert answer["status"] == SUSPENDED
