"""What the owner of a run, and who may write workflows, hear of it while it is under way."""

from uuid import UUID

from events.audience import Audience
from events.publishing import publish
from ground.invalidation import ProcessCache
from workflows.dates import iso
from workflows.models import Workflow, WorkflowRun
from workflows.records import Record, now

WATCHERS = "workflows:write"
_TYPES = {
    "suspended": "suspended",
    "paused": "suspended",
    "waiting": "waiting",
    "running": "started",
    "pending": "started",
}


def announce_run(run: WorkflowRun, workflow_id: str) -> None:
    """The run has another status."""
    kind = _TYPES.get(run.status, "finished")
    publish(
        {
            "type": f"workflow.run.{kind}",  # type: ignore[typeddict-item]
            "at": iso(now()),
            "workflowId": workflow_id,
            "runId": run.run_id,
            "key": str(run.id),
            "status": run.status,
        },
        _audience(run),
    )


def announce_step(run: WorkflowRun, workflow_id: str, record: Record, what: str) -> None:
    """A step of the run has begun, or has come to something."""
    publish(
        {
            "type": f"workflow.step.{what}",  # type: ignore[typeddict-item]
            "at": iso(now()),
            "workflowId": workflow_id,
            "runId": run.run_id,
            "key": str(run.id),
            "status": record.status,
            "stepId": record.step_id,
            "path": record.path,
        },
        _audience(run),
    )


def _audience(run: WorkflowRun) -> Audience:
    department_id = _departments.load(
        run.workflow_id, lambda: (run.tenant_id, _department(run)), lambda found: found[0]
    )[1]
    return Audience(run.tenant_id, run.started_by_id, WATCHERS, department_id)


_departments: ProcessCache[UUID, tuple[UUID, UUID | None]] = ProcessCache("surface", 4096)


def _department(run: WorkflowRun) -> UUID | None:
    return Workflow.objects.values_list("department_id", flat=True).get(pk=run.workflow_id)
