"""Routes of workflows."""

from django.urls import path

from api.routes import route
from workflows.views import (
    WorkflowResumeView,
    WorkflowRunCancelView,
    WorkflowRunCountsView,
    WorkflowRunStreamView,
    WorkflowRunsView,
    WorkflowRunView,
    WorkflowStartView,
    WorkflowsView,
    WorkflowView,
)

urlpatterns = [
    route("workflows", WorkflowsView, name="workflows"),
    route("workflows/<str:workflow_id>", WorkflowView, name="workflow"),
    route("workflows/<str:workflow_id>/start-async", WorkflowStartView, name="workflow-start"),
    route("workflows/<str:workflow_id>/resume-async", WorkflowResumeView, name="workflow-resume"),
    route("workflows/<str:workflow_id>/run-counts", WorkflowRunCountsView, name="workflow-run-counts"),
    route("workflows/<str:workflow_id>/runs", WorkflowRunsView, name="workflow-runs"),
    route("workflows/<str:workflow_id>/runs/<str:run_id>", WorkflowRunView, name="workflow-run"),
    route("workflows/<str:workflow_id>/runs/<str:run_id>/cancel", WorkflowRunCancelView, name="workflow-run-cancel"),
    # A stream has one door, HTTP: it is no named route that could be called inside the process.
    path(
        "workflows/<str:workflow_id>/runs/<str:run_id>/stream",
        WorkflowRunStreamView.as_view(),
        name="workflow-run-stream",
    ),
]
