"""`manage.py doctor` about workflows."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from tests.cast import Cast
from workflows import code, doctor
from workflows.actions import start_run
from workflows.builder import Workflow, agent
from workflows.models import WorkflowRun


def test_modules_that_can_be_read_are_counted() -> None:
    check = doctor._modules()

    assert check.ok
    assert check.sentence.startswith(f"{len(code.workflows())} workflows in Python, ")


def test_a_module_that_is_not_there_is_named(settings: Settings) -> None:
    settings.WORKFLOW_MODULES = ["no.such.module"]
    code.load.cache_clear()

    try:
        check = doctor._modules()
    finally:
        code.load.cache_clear()

    assert not check.ok
    assert check.sentence.startswith("WORKFLOW_MODULES names no.such.module, which cannot be imported: ")


def test_a_workflow_that_cannot_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Workflow("broken").then(agent("one")).then(agent("two"), id="one")
    monkeypatch.setitem(code._workflows, "broken", broken)

    check = doctor._modules()

    assert not check.ok
    assert check.sentence.startswith("the workflow broken cannot run: steps")


def test_a_run_that_nobody_takes_up_is_told(cast: Cast) -> None:
    run = start_run(cast.ben.principal, "t-suspend", given={"n": 1}).run
    WorkflowRun.objects.filter(pk=run.pk).update(due_at=Now() - timedelta(seconds=90))

    late = doctor._runs()
    WorkflowRun.objects.filter(pk=run.pk).update(due_at=None)

    assert not late.ok
    assert late.sentence.endswith(" have been due for over a minute; start a worker and beat")
