"""A run of the workflow tables, made by hand: durable has none of its own."""

from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from tests.cast import Cast
from workflows.definitions import find_workflow, pin
from workflows.models import WorkflowRun


def make_run(cast: Cast, *, due_in: float | None = 0, **facts: Any) -> WorkflowRun:
    """A run of ben's; due in so many seconds, or not at all."""
    definition = pin(find_workflow(cast.ben.principal, "t-ok"))
    due = None if due_in is None else Now() + timedelta(seconds=due_in)
    run = WorkflowRun(
        tenant=cast.tenant, workflow_id=definition.workflow_pk, version_id=definition.version_pk,
        resource_id=str(cast.ben.user.id), started_by=cast.ben.user, credential_kind="session", credential_id="test",
        due_at=due, **facts,
    )  # fmt: skip
    run.run_id = str(run.id)
    run.save(force_insert=True)
    return run


def row(run: WorkflowRun) -> dict[str, Any]:
    """The row as it is now."""
    return WorkflowRun.objects.values().get(pk=run.pk)
