"""The agents toolset: its tools, what they send, and what they make of the answers."""

import pytest
from jsonschema_rs import Draft202012Validator

from agents.actions import create_agent
from agents.models import Agent
from agents.tools import AGENT_CALL, AGENT_LIST, TOOLSETS, AgentCallAnswer, AgentList
from api.calls import Call
from api.dispatch import send
from api.replies import Pending
from api.schemas import object_schema
from api.toolsets import Arguments, ToolSpec
from tests.cast import Cast, Person


def _used(person: Person, tool: ToolSpec, arguments: Arguments) -> dict[str, object]:
    assert tool.plan is not None
    assert tool.shape is not None
    answer = send(person.principal, tool.plan(arguments))
    reply = answer.future.result(10) if isinstance(answer, Pending) else answer
    shaped: dict[str, object] = tool.shape(reply.body, arguments)
    return shaped


def test_the_toolset_is_complete_and_in_order() -> None:
    rows = [
        (tool.name, tool.aliases, [str(route) for route in tool.routes], tool.destructive, tool.dry_run)
        for toolset in TOOLSETS
        for tool in toolset.tools
    ]

    assert rows == [
        ("agent_list", ("list_agents",), ["GET /agents"], False, False),
        ("agent_get", ("get_agent",), ["GET /agents/:agentId"], False, False),
        ("agent_call", ("call_agent",), ["POST /agents/:agentId/generate"], False, False),
        ("agent_update", ("update_agent",), ["PATCH /agents/:agentId"], False, True),
    ]


@pytest.mark.parametrize("tool", TOOLSETS[0].tools, ids=lambda tool: tool.name)
def test_every_description_is_short_enough_for_a_model(tool: ToolSpec) -> None:
    assert 40 < len(tool.summary) < 300


def test_the_list_is_ids_names_and_descriptions(cast: Cast, helper: Agent) -> None:
    create_agent(cast.ana.principal, slug="plain", name="Plain", description=None)

    listed = _used(cast.ben, AGENT_LIST, {})

    assert listed == {
        "agents": [
            {"id": "helper", "name": "Helper", "description": "Helps with invoices."},
            {"id": "plain", "name": "Plain", "description": None},
        ]
    }
    assert Draft202012Validator(object_schema(AgentList, closed=False)).is_valid(listed)


def test_the_list_can_be_narrowed(cast: Cast, helper: Agent) -> None:
    create_agent(cast.ana.principal, slug="plain", name="Plain")

    assert [agent["id"] for agent in _used(cast.ben, AGENT_LIST, {"query": "HELP"})["agents"]] == ["helper"]  # type: ignore[attr-defined]


def test_a_call_answers_text_thread_reason_and_usage(cast: Cast, helper: Agent) -> None:
    said = {"agentId": "helper", "message": "hi"}

    answer = _used(cast.ben, AGENT_CALL, said)
    again = _used(cast.ben, AGENT_CALL, {**said, "threadId": answer["threadId"]})

    assert set(answer) == {"text", "threadId", "finishReason", "usage"}
    assert again["threadId"] == answer["threadId"]
    assert Draft202012Validator(object_schema(AgentCallAnswer, closed=False)).is_valid(answer)


def test_equal_calls_send_equal_requests() -> None:
    said = {"agentId": "helper", "message": "hi"}
    assert AGENT_CALL.plan is not None

    assert AGENT_CALL.plan(said) == AGENT_CALL.plan(said) == Call(
        "agent-generate", "POST", path={"agent_id": "helper"}, body={"messages": "hi", "memory": {}}
    )  # fmt: skip


def test_an_agent_without_memory_still_answers_in_shape(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="forgetful", name="Forgetful", memory=False)

    answer = _used(cast.ben, AGENT_CALL, {"agentId": "forgetful", "message": "hi"})

    assert answer["threadId"] is None
    assert Draft202012Validator(object_schema(AgentCallAnswer, closed=False)).is_valid(answer)
