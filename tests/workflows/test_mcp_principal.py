"""Whichever way a step, a tool or an agent is reached, it acts for the caller, and the audit says so."""

from typing import Any

import pytest
from pytest_django import Settings

from agents.actions import create_agent
from agents.models import Agent
from receipts.models import AuditEntry
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.conftest import door
from tests.inference.conftest import models
from tests.models_server import ModelsServer
from tests.workflows.featuring import feature
from tests.workflows.stored import calls, store
from workflows.context import StepContext
from workflows.functions import step

__all__ = ["door", "models"]

FACTS = ("tenant_id", "user_id", "credential_kind", "door", "outcome", "status")


@step
def who_acts(data: Any, context: StepContext) -> dict[str, str]:
    """Tell for whom this step acts."""
    principal = context.principal
    return {
        "tenant": str(principal.tenant_id),
        "user": str(principal.user_id),
        "role": principal.role,
        "credential": principal.credential.kind,
    }


def key_of(cast: Cast, way: str) -> str:
    return cast.ben.issue(["*", "execute_tool"]) if way.startswith("router") else cast.ben.key


def through(door: Door, key: str, way: str, name: str, arguments: dict[str, Any]) -> Any:
    """One call, directly or by way of the router."""
    if way.startswith("router"):
        name, arguments = "execute_tool", {"name": name, "input": arguments}
    answer = door.call(key, name, arguments)
    assert answer.result["isError"] is False, answer.body
    return answer.value


@pytest.mark.parametrize("way", ["start", "own tool", "nested", "router", "router own tool"])
def test_a_step_acts_for_the_caller(cast: Cast, door: Door, way: str, settings: Settings) -> None:
    settings.RUN_INLINE_SECONDS = 30  # a worker does not know the function
    feature(cast.tenant, "tells", {"inputSchema": {"type": "object"}, "steps": [calls("who_acts")]})
    store(cast.tenant, "around", {"steps": [{"type": "workflow", "id": "inner", "workflowId": "tells"}]})
    name, arguments = {
        "nested": ("workflow_start", {"workflowId": "around", "inputData": {}}),
        "own tool": ("workflow_tells", {}),
        "router own tool": ("workflow_tells", {}),
    }.get(way, ("workflow_start", {"workflowId": "tells", "inputData": {}}))

    result = through(door, key_of(cast, way), way, name, arguments)["result"]

    assert result == {
        "tenant": str(cast.tenant.id), "user": str(cast.ben.user.id), "role": "member", "credential": "api_key",
    }  # fmt: skip
    assert facts(cast) == expected(cast)


@pytest.mark.parametrize("way", ["tool", "router", "workflow step", "agent tool"])
def test_a_tool_is_written_down_for_the_caller(
    cast: Cast, door: Door, models: ModelsServer, worker: None, way: str
) -> None:
    agent = create_agent(cast.ana.principal, slug="clock", name="Clock", tools=["current_time"])
    Agent.objects.filter(pk=agent.pk).update(model="openai/clock")
    store(cast.tenant, "tells-time", {"steps": [{"type": "step", "step": {"id": "now", "tool": "current_time"}}]})
    name, arguments = {
        "workflow step": ("workflow_start", {"workflowId": "tells-time", "inputData": {}}),
        "agent tool": ("agent_call", {"agentId": "clock", "message": "What time is it?"}),
    }.get(way, ("tool_current_time", {}))

    value = through(door, key_of(cast, way), way, name, arguments)

    assert "T" in str(value)
    assert facts(cast) == expected(cast)
    inside = [{**entry, "door": "task"} for entry in expected(cast)] if way in ("workflow step", "agent tool") else []
    assert facts(cast, "task") == inside


def facts(cast: Cast, door: str = "mcp") -> list[dict[str, Any]]:
    """What the audit says of calls through a door in this tenant; `task` is the inside of others."""
    return list(AuditEntry.objects.filter(tenant_id=cast.tenant.id, door=door).values(*FACTS))


def expected(cast: Cast) -> list[dict[str, Any]]:
    """The one entry of ben's call."""
    return [{
        "tenant_id": cast.tenant.id, "user_id": cast.ben.user.id, "credential_kind": "api_key", "door": "mcp",
        "outcome": "ok", "status": 200,
    }]  # fmt: skip
