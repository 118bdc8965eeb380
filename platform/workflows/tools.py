"""The workflows toolset."""

from typing import Any

from rest_framework import serializers

from api.calls import Call
from api.routes import get, post
from api.serializers import CamelSerializer, Text
from api.toolsets import Arguments, ObjectTool, Toolset, ToolSpec
from identity.principal import Principal
from workflows.arguments import INPUT, arguments_schema, input_schema, takes_an_object
from workflows.definitions import visible
from workflows.models import Workflow
from workflows.serializers import RunAnswer, WorkflowAnswer

MOST_CHOICES = 1001  # one more than any listing shows


class WorkflowLine(CamelSerializer):
    """One workflow of the list."""

    id = Text(help_text="Pass it as workflowId.")
    name = Text()
    description = Text(allow_null=True)


class WorkflowList(CamelSerializer):
    """The workflows that the caller sees."""

    workflows = serializers.ListField(child=WorkflowLine())


class RunReply(CamelSerializer):
    """How far a run has come: `result`, `error` or what it waits for, as the status says."""

    open_keys = True

    status = Text(help_text="success, failed, suspended, paused, canceled or running.")
    run_id = Text(help_text="The run's id.")


def workflow_choices(principal: Principal, permission: str) -> list[str]:
    """The ids that a `workflowId` may be."""
    found = visible(principal, permission).filter(enabled=True).order_by("slug")
    return list(found.values_list("slug", flat=True)[:MOST_CHOICES])


def _list(arguments: Arguments) -> Call:
    query = {"partial": "true", **({"query": arguments["query"]} if arguments.get("query") else {})}
    return Call("workflows", "GET", query=query)


def _lines(workflows: dict[str, Any], arguments: Arguments) -> dict[str, Any]:
    return {
        "workflows": [
            {"id": workflow["id"], "name": workflow["name"], "description": workflow["description"] or None}
            for workflow in workflows.values()
        ]
    }


def run_reply(reply: dict[str, Any], arguments: Arguments) -> dict[str, Any]:
    """The run as a tool's answer: what the model needs, without the records of the steps."""
    status = reply["status"]
    shown = {"status": status, "runId": reply["runId"]}
    if status == "success":
        shown["result"] = reply.get("result")
    if status == "failed":
        shown["error"] = reply["error"]
    if status == "suspended":
        shown |= {"suspendPayload": reply["suspendPayload"], "suspendedSteps": reply["suspended"]}
    return shown


def own_tool(workflow: Workflow, *, prefix: str, summary: str) -> ObjectTool:
    """A tool that starts this workflow: its input's fields are the arguments, or `inputData` holds it."""
    schema = input_schema(workflow)
    return ObjectTool(
        prefix=prefix,
        object_id=workflow.slug,
        title=workflow.name,
        summary=summary,
        spec=WORKFLOW_START,
        fixed={"workflowId": workflow.slug},
        gathered=INPUT if takes_an_object(schema) else None,
        input_schema=arguments_schema(schema),
    )


WORKFLOW_LIST = ToolSpec(
    "workflow_list",
    "List workflows",
    "Lists the workflows you can use, each with id, name and description. Use it first to find a workflowId; query "
    "keeps those whose id or name contains the text.",
    (get("workflows"),),
    aliases=("list_workflows",),
    takes=("query",),
    plan=_list,
    shape=_lines,
    returns=WorkflowList,
    idempotent=True,
    keywords="processes automations pipelines flows find directory",
)
WORKFLOW_GET = ToolSpec(
    "workflow_get",
    "Get a workflow",
    "Reads one workflow: what it is for, its input and output schemas, its steps and their order. Use it "
    "before workflow_start to learn what inputData must be.",
    (get("workflow"),),
    aliases=("get_workflow",),
    takes=("workflowId*",),
    choices={"workflowId": workflow_choices},
    returns=WorkflowAnswer,
    idempotent=True,
    keywords="process graph steps schema input describe details",
)
WORKFLOW_START = ToolSpec(
    "workflow_start",
    "Start a workflow",
    "Starts a run of a workflow and waits until it ends or suspends. A suspended one says what it waits for; answer "
    "with workflow_run_resume. A run that takes longer answers running: look with workflow_run_get.",
    (post("workflow-start"),),
    aliases=("start_workflow",),
    takes=("workflowId*", "inputData", "runId"),
    choices={"workflowId": workflow_choices},
    shape=run_reply,
    returns=RunReply,
    open_world=True,
    keywords="run execute launch trigger process begin",
)
WORKFLOW_RUN_GET = ToolSpec(
    "workflow_run_get",
    "Get a workflow run",
    "Reads where a run stands: status, result or error, its steps with what each took and gave. fields keeps some of "
    "result, error, payload, steps, activeStepsPath, with commas between them.",
    (get("workflow-run"),),
    aliases=("get_workflow_run",),
    takes=("workflowId*", "runId*", "fields"),
    choices={"workflowId": workflow_choices},
    returns=RunAnswer,
    idempotent=True,
    keywords="status progress result poll check follow steps",
)
WORKFLOW_RUN_RESUME = ToolSpec(
    "workflow_run_resume",
    "Resume a workflow run",
    "Gives a suspended run what it waits for and waits until it ends or is suspended again. Name the step if more than "
    "one waits; suspendPayload of the run says what each asks.",
    (post("workflow-resume"),),
    aliases=("resume_workflow_run",),
    takes=("workflowId*", "runId*", "step", "label", "resumeData"),
    choices={"workflowId": workflow_choices},
    shape=run_reply,
    returns=RunReply,
    open_world=True,
    keywords="continue approve answer decide unblock suspended",
)
WORKFLOW_RUN_CANCEL = ToolSpec(
    "workflow_run_cancel",
    "Cancel a workflow run",
    "Ends a run for good, whatever it is doing; steps that are done stay done. A run that is over cannot be cancelled.",
    (post("workflow-run-cancel"),),
    aliases=("cancel_workflow_run",),
    takes=("workflowId*", "runId*"),
    choices={"workflowId": workflow_choices},
    destructive=True,
    keywords="stop abort end kill terminate",
)

TOOLSETS = (
    Toolset(
        "workflows",
        (WORKFLOW_LIST, WORKFLOW_GET, WORKFLOW_START, WORKFLOW_RUN_GET, WORKFLOW_RUN_RESUME, WORKFLOW_RUN_CANCEL),
    ),
)
