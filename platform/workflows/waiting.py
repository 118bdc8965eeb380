"""Answers of calls that wait for a run: an event wakes them; no thread and no connection is held meanwhile."""

from uuid import UUID

from api.replies import Pending
from durable.models import OVER, PAUSED, SUSPENDED
from events.waiting import wait_for
from ground.bridge import in_django, on_background
from workflows import answers
from workflows.actions import Progress
from workflows.models import WorkflowRun, WorkflowStep
from workflows.records import Record, read_records

STANDS = OVER | {SUSPENDED, PAUSED}  # nothing happens until somebody does something


def answer(progress: Progress, seconds: float) -> answers.Body | Pending:
    """How far the run has come: at once when it stands still, else when it does or the time is over."""
    run = progress.run
    if run.status in STANDS and progress.records is not None:
        return answers.started(run, progress.records)
    return Pending(on_background(_awaited(run.tenant_id, run.id, seconds)))


async def _awaited(tenant_id: UUID, run_pk: UUID, seconds: float) -> answers.Body:
    key = str(run_pk)

    async def stands() -> bool:
        return await in_django(_status, run_pk) in STANDS

    await wait_for(
        tenant_id, lambda event: event.get("key") == key and event.get("status") in STANDS and "path" not in event,
        seconds, stands,
    )  # fmt: skip
    return await in_django(_answer, run_pk)


def _status(run_pk: UUID) -> str:
    return WorkflowRun.objects.values_list("status", flat=True).get(pk=run_pk)


def _answer(run_pk: UUID) -> answers.Body:
    run, records = read_run(run_pk)
    body = answers.started(run, records)
    if run.status not in STANDS and run.status != "running":
        body["status"] = "running"  # pending and waiting: the caller looks again later
    return body


def read_run(run_pk: UUID) -> tuple[WorkflowRun, dict[str, Record]]:
    """The run and its records as they are now."""
    run = WorkflowRun.objects.get(pk=run_pk)
    return run, read_records(WorkflowStep.objects.filter(run_id=run_pk))
