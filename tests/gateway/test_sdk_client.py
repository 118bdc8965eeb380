"""The official SDK's client, in each of its modes."""

import json

import pytest

from agents.models import Agent
from tests.gateway.clients import MODES, Door


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_lists_the_tools_of_its_caller(ben_key: str, door: Door, mode: str) -> None:
    async with door.client(ben_key, mode) as client:
        listed = await client.list_tools()

    assert [tool.name for tool in listed.tools] == [
        "whoami", "get_context", "agent_list", "agent_get", "agent_call", "workflow_list",
        "workflow_get", "workflow_start", "workflow_run_get", "workflow_run_resume", "workflow_run_cancel",
        "tool_calculator", "tool_current_time", "tool_http_fetch", "department_list",
    ]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_talks_to_an_agent(ben_key: str, door: Door, helper: Agent, mode: str) -> None:
    async with door.client(ben_key, mode) as client:
        first = await client.call_tool("agent_call", {"agentId": "helper", "message": "When are invoices paid?"})
        assert first.structured_content is not None
        thread_id = first.structured_content["threadId"]
        second = await client.call_tool(
            "agent_call", {"agentId": "helper", "message": "Are you sure?", "threadId": thread_id}
        )

    assert first.is_error is False
    assert json.loads(first.content[0].text) == first.structured_content  # type: ignore[union-attr]
    assert first.structured_content["text"]
    assert second.structured_content is not None
    assert second.structured_content["threadId"] == thread_id


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_calls_by_an_older_name(ben_key: str, door: Door, helper: Agent, mode: str) -> None:
    async with door.client(ben_key, mode) as client:
        answer = await client.call_tool("list_agents", {})

    assert answer.structured_content == {
        "agents": [{"id": "helper", "name": "Helper", "description": "Helps with invoices."}]
    }
