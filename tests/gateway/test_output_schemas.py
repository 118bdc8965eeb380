"""Every successful structured result satisfies the schema that its tool advertises."""

from typing import Any

import jsonschema_rs
import pytest

from agents.models import Agent
from gateway.models import FeaturedAgent
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.workflows.featuring import asking, feature
from tests.workflows.stored import calls

ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "whoami": [{}],
    "get_context": [{}, {"maxTokens": 200, "agentId": "helper"}],
    "agent_list": [{}, {"query": "nobody"}],
    "agent_get": [{"agentId": "helper"}, {"agentId": "bare"}],
    "agent_call": [{"agentId": "helper", "message": "Hello"}],
    "agent_helper": [{"message": "Hello"}],
    "agent_update": [
        {"agentId": "helper", "description": None, "dry_run": True},
        {"agentId": "helper", "description": None},
        {"agentId": "helper"},
    ],
    "workflow_list": [{}, {"query": "nothing-like-it"}],
    "workflow_get": [{"workflowId": "asks"}],
    "workflow_start": [
        {"workflowId": "asks", "inputData": {"n": 1}, "runId": "resumed"},
        {"workflowId": "asks", "inputData": {"n": 1}, "runId": "cancelled"},
        {"workflowId": "fails", "inputData": "No."},
    ],
    "workflow_run_get": [
        {"workflowId": "asks", "runId": "resumed"},
        {"workflowId": "asks", "runId": "resumed", "fields": "payload"},
    ],
    "workflow_run_resume": [{"workflowId": "asks", "runId": "resumed", "resumeData": {"approved": True}}],
    "workflow_run_cancel": [{"workflowId": "asks", "runId": "cancelled"}],
    "workflow_asks": [{"n": 1}],
    "workflow_fails": [{"inputData": "No."}],
    "tool_calculator": [{"expression": "1 / 3"}, {"expression": "2 * 3"}],
    "tool_current_time": [{}, {"timezone": "Asia/Tokyo"}],
    "department_list": [{}, {"query": "sal"}],
}
ROUTED = {
    "search_tools": [{}, {"query": "agent"}],
    "describe_tool": [{"name": "agent_call"}, {"name": "agent_helper"}],
    "whoami": [{}],
}


@pytest.fixture
def bare(cast: Cast) -> Agent:
    """An agent about which nothing is said."""
    return Agent.objects.create(tenant=cast.tenant, slug="bare", name="Bare", description=None, model="offline/demo")


@pytest.mark.parametrize("is_router", [False, True])
def test_structured_results_satisfy_their_schemas(
    cast: Cast, door: Door, helper: Agent, bare: Agent, is_router: bool
) -> None:
    FeaturedAgent.objects.create(tenant=cast.tenant, agent=helper)
    asking(cast.tenant, "asks")
    feature(cast.tenant, "fails", {"steps": [calls("fail")]})
    key = cast.ana.issue(["*", "execute_tool"]) if is_router else cast.ana.key
    tools = {tool["name"]: tool for tool in door.listed(key)}
    wanted = ROUTED if is_router else ARGUMENTS

    assert set(tools) - {"execute_tool", "tool_http_fetch"} == set(wanted)  # no test reaches the web
    for name, tries in wanted.items():
        for arguments in tries:
            result = door.call(key, name, arguments).result
            assert result["isError"] is False, (name, result)
            assert ("structuredContent" in result) == ("outputSchema" in tools[name])
            if "outputSchema" in tools[name]:
                jsonschema_rs.validate(tools[name]["outputSchema"], result["structuredContent"])
