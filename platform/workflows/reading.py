"""What callers read of workflows and of their runs."""

from typing import Any

from django.db.models import Count, Q

from api.pagination import paged
from ground.errors import InvalidInput
from identity.principal import Principal
from workflows import answers, shapes
from workflows.actions import find_run
from workflows.dates import iso
from workflows.definitions import composed, definition_of, find_workflow, visible
from workflows.models import Workflow, WorkflowRun, WorkflowStep
from workflows.records import read_records

Body = dict[str, Any]


def list_workflows(principal: Principal, *, query: str, partial: bool) -> Body:
    """The visible workflows by id; one that cannot be put together says why in `fault`."""
    found = visible(principal).filter(enabled=True)
    if query:
        found = found.filter(Q(slug__icontains=query) | Q(name__icontains=query))
    return {workflow.slug: _described(principal, workflow, partial=partial) for workflow in found.order_by("slug")}


def get_workflow(principal: Principal, workflow_id: str) -> Body:
    """One workflow."""
    return _described(principal, find_workflow(principal, workflow_id), partial=False)


def _described(principal: Principal, workflow: Workflow, *, partial: bool) -> Body:
    facts = (workflow.slug, workflow.name, workflow.description, workflow.origin)
    try:
        return shapes.described(*facts, composed(workflow, principal), partial=partial)
    except InvalidInput as refused:
        return {**shapes.described(*facts, {"steps": []}, partial=partial), "fault": refused.said()}


def get_run(principal: Principal, workflow_id: str, run_id: str, *, fields: list[str], nested: bool) -> Body:
    """One run."""
    run = find_run(principal, workflow_id, run_id)
    records = read_records(WorkflowStep.objects.filter(run_id=run.id))
    return answers.full(run, definition_of(run.version_id), records, fields, nested=nested)


def _runs(principal: Principal, workflow_id: str) -> Any:
    workflow = find_workflow(principal, workflow_id)
    return WorkflowRun.objects.visible_to(principal).filter(workflow=workflow)


def list_runs(principal: Principal, workflow_id: str, wanted: Body) -> Body:
    """A page of the visible runs, the newest first."""
    found = _runs(principal, workflow_id)
    filters = {
        "status": "status",
        "resource_id": "resource_id",
        "from_date": "created_at__gte",
        "to_date": "created_at__lte",
    }
    found = found.filter(**{lookup: wanted[name] for name, lookup in filters.items() if wanted.get(name) is not None})

    def shown(run: WorkflowRun) -> Body:
        snapshot: Body = {"runId": run.run_id, "status": run.status, "input": run.input}
        for name, value in (("result", run.result), ("error", run.error)):
            if value is not None:
                snapshot[name] = value
        return {
            "runId": run.run_id,
            "workflowName": workflow_id,
            "resourceId": run.resource_id,
            "createdAt": iso(run.created_at),
            "updatedAt": iso(run.updated_at),
            "snapshot": snapshot,
        }

    return paged("runs", found, ("-created_at",), wanted["page"], wanted["per_page"], shown)


def count_runs(principal: Principal, workflow_id: str) -> Body:
    """How many of the visible runs stand where."""
    rows = _runs(principal, workflow_id).order_by().values_list("status").annotate(n=Count("id"))
    counts = dict(sorted(rows))
    return {"total": sum(counts.values()), "counts": counts}
