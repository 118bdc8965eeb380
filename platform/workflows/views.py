"""/workflows: list, read, start, look at a run, resume it, cancel it."""

from typing import Any

from django.conf import settings

from api.operations import operation
from api.rendering import EventStreamRenderer, JSONRenderer
from api.replies import Pending, Reply, Streamed
from api.views import PlatformView
from workflows import actions, reading, streaming, waiting
from workflows.serializers import (
    CancelAnswer,
    CountsAnswer,
    ProgressAnswer,
    ResumeBody,
    ResumeQuery,
    RunAnswer,
    RunQuery,
    RunsAnswer,
    RunsQuery,
    StartBody,
    StartQuery,
    StreamQuery,
    WorkflowAnswer,
    WorkflowListQuery,
)

Body = dict[str, Any]


class WorkflowsView(PlatformView):
    """All workflows."""

    @operation("workflows:read", query=WorkflowListQuery)
    def get(self, request: Any, query: Body) -> Body:
        """List the visible workflows, keyed by id."""
        partial = query.get("partial") == "true"
        return reading.list_workflows(request.auth, query=query.get("query", ""), partial=partial)


class WorkflowView(PlatformView):
    """One workflow."""

    @operation("workflows:read", returns=WorkflowAnswer)
    def get(self, request: Any, workflow_id: str) -> Body:
        """Read one workflow."""
        return reading.get_workflow(request.auth, workflow_id)


class WorkflowStartView(PlatformView):
    """A new run."""

    waits = True

    @operation("workflows:execute", query=StartQuery, body=StartBody, returns=ProgressAnswer)
    def post(self, request: Any, workflow_id: str, query: Body, body: Body) -> Body | Pending:
        """Start a run and wait until it ends or waits for somebody."""
        progress = actions.start_run(
            request.auth,
            workflow_id,
            given=body.get("input_data"),
            run_id=query.get("run_id"),
            initial_state=body.get("initial_state"),
            resource_id=body.get("resource_id"),
            request_context=body.get("request_context"),
            per_step=body["per_step"],
        )
        return waiting.answer(progress, _seconds(request))


class WorkflowResumeView(PlatformView):
    """A run that waits for somebody."""

    waits = True

    @operation("workflows:execute", query=ResumeQuery, body=ResumeBody, returns=ProgressAnswer)
    def post(self, request: Any, workflow_id: str, query: Body, body: Body) -> Body | Pending:
        """Resume a suspended run and wait until it ends or waits again."""
        progress = actions.resume_run(
            request.auth,
            workflow_id,
            query["run_id"],
            step=body.get("step"),
            label=body.get("label"),
            item=body.get("item"),
            resume_data=body.get("resume_data"),
            request_context=body.get("request_context"),
            per_step=body["per_step"],
        )
        return waiting.answer(progress, _seconds(request))


class WorkflowRunsView(PlatformView):
    """The runs of a workflow."""

    @operation("workflows:read", query=RunsQuery, returns=RunsAnswer)
    def get(self, request: Any, workflow_id: str, query: Body) -> Body:
        """List runs, the newest first."""
        return reading.list_runs(request.auth, workflow_id, query)


class WorkflowRunCountsView(PlatformView):
    """How the runs of a workflow stand."""

    @operation("workflows:read", returns=CountsAnswer)
    def get(self, request: Any, workflow_id: str) -> Body:
        """Count runs by status."""
        return reading.count_runs(request.auth, workflow_id)


class WorkflowRunView(PlatformView):
    """One run."""

    @operation("workflows:read", query=RunQuery, returns=RunAnswer)
    def get(self, request: Any, workflow_id: str, run_id: str, query: Body) -> Body:
        """Read one run, whole or in part."""
        nested = query["with_nested_workflows"] == "true"
        return reading.get_run(request.auth, workflow_id, run_id, fields=query["chosen"], nested=nested)


class WorkflowRunStreamView(PlatformView):
    """A run while it goes on."""

    renderer_classes = (JSONRenderer, EventStreamRenderer)

    @operation("workflows:read", query=StreamQuery)
    def get(self, request: Any, workflow_id: str, run_id: str, query: Body) -> Reply:
        """Hear of a run as server-sent events until it is over."""
        cursor = query.get("cursor") or request.headers.get("Last-Event-ID")
        return Reply(Streamed(streaming.told(request.auth, workflow_id, run_id, cursor)))

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """What is no stream is JSON, whatever was asked for."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        if answer.status_code >= 400:
            answer.content_type = "application/json"
        return answer


class WorkflowRunCancelView(PlatformView):
    """The end of a run."""

    @operation("workflows:execute", returns=CancelAnswer)
    def post(self, request: Any, workflow_id: str, run_id: str) -> Body:
        """Cancel a run."""
        actions.cancel_run(request.auth, workflow_id, run_id)
        return {"message": "Workflow run cancelled"}


def _seconds(request: Any) -> float:
    """How long this caller waits at most."""
    return float(request.circumstances.wait_seconds or settings.WAIT_SECONDS)
