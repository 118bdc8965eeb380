"""The agent tools through the running MCP door, with a real server behind the model."""

import httpx2
import pytest
from pytest_django import Settings

from agents.actions import create_agent
from agents.models import PRIVATE, Agent
from conversations.models import Message
from tests.agents.grants import grant
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.inference.conftest import models
from tests.models_server import ModelsServer

__all__ = ["models"]


def _served_by(agent: Agent, model: str) -> None:
    Agent.objects.filter(pk=agent.pk).update(model=f"openai/{model}")


def test_a_conversation_goes_on_with_its_thread(cast: Cast, helper: Agent, models: ModelsServer, door: Door) -> None:
    _served_by(helper, "echo")
    said = {"agentId": "helper", "message": "first 👋"}

    first = door.call(cast.ben.key, "agent_call", said).result["structuredContent"]
    second = door.call(cast.ben.key, "call_agent", {**said, "message": "second", "threadId": first["threadId"]})

    assert (first["text"], first["finishReason"], first["usage"]["totalTokens"]) == ("Echo: first 👋", "stop", 18)
    assert second.result["structuredContent"]["threadId"] == first["threadId"]
    assert [message["content"] for message in models.asked[1]["messages"]][1:] == [
        "first 👋",
        "Echo: first 👋",
        "second",
    ]


@pytest.mark.parametrize("model", ["refuse-429", "fail-500", "malformed"])
def test_a_failing_model_is_one_sentence_with_a_trace(
    cast: Cast, helper: Agent, models: ModelsServer, door: Door, model: str
) -> None:
    _served_by(helper, model)

    answer = door.call(cast.ben.key, "agent_call", {"agentId": "helper", "message": "hi"})

    assert f"openai/{model}" in answer.sentence
    assert len(answer.value["traceId"]) == 32


def test_past_its_time_a_call_is_stopped_and_names_the_kept_thread(
    cast: Cast, helper: Agent, models: ModelsServer, door: Door, settings: Settings
) -> None:
    _served_by(helper, "silent")
    settings.LIMIT_CALL_SECONDS = 0.4

    answer = door.call(cast.ben.key, "agent_call", {"agentId": "helper", "message": "hi", "threadId": "t"})

    assert answer.sentence == (
        "Agent helper did not answer within 0.4 seconds and was stopped; your message is kept in thread t; "
        "try again, or ask for less."
    )
    assert len(answer.value["traceId"]) == 32
    assert [message.role for message in Message.objects.filter(thread__tenant=cast.tenant)] == ["user"]


def test_a_client_that_leaves_stops_the_model(cast: Cast, helper: Agent, models: ModelsServer, door: Door) -> None:
    _served_by(helper, "silent")
    url, headers = f"{door.base}/api/agents/helper/generate", cast.ben.headers

    with httpx2.Client(trust_env=False, timeout=0.5) as http, pytest.raises(httpx2.ReadTimeout):
        http.post(url, json={"messages": "hi", "threadId": "t"}, headers=headers)

    assert models.abandoned.wait(5)
    assert [message.role for message in Message.objects.filter(thread__tenant=cast.tenant)] == ["user"]


def test_somebody_elses_private_agent_is_like_none_at_all(cast: Cast, helper: Agent, door: Door) -> None:
    create_agent(cast.ben.principal, slug="bens", name="Ben's", visibility=PRIVATE)

    def refused(agent_id: str) -> str:
        answer = door.call(cast.bea.key, "agent_call", {"agentId": agent_id, "message": "hi"})
        return answer.sentence.replace(agent_id, "…")

    assert refused("bens") == refused("none")
    assert "bens" not in str(door.listed(cast.bea.key))
    assert "bens" in str(door.listed(cast.ben.key))


def test_a_grant_lists_calls_and_offers_one_agent(cast: Cast, helper: Agent, door: Door) -> None:
    create_agent(cast.ana.principal, slug="other", name="Other")
    grant(cast, "agents:execute", "helper", user=cast.vic.user)

    tools = {tool["name"]: tool for tool in door.listed(cast.vic.key)}

    assert tools["agent_call"]["inputSchema"]["properties"]["agentId"]["enum"] == ["helper"]
    assert (
        door.call(cast.vic.key, "agent_call", {"agentId": "helper", "message": "hi"}).result.get("isError") is not True
    )
    assert door.call(cast.vic.key, "agent_call", {"agentId": "other", "message": "hi"}).result["isError"] is True


@pytest.mark.parametrize("word", [True, "true"])
def test_a_dry_run_leaves_nothing(cast: Cast, helper: Agent, door: Door, word: object) -> None:
    before = Agent.objects.values().get(pk=helper.pk)

    answer = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "name": "New", "dry_run": word})

    assert answer.value["would"]["changes"] == {"name": {"from": "Helper", "to": "New"}}
    assert Agent.objects.values().get(pk=helper.pk) == before


@pytest.mark.parametrize("word", ["True", "0", 1, "", "yes"])
def test_an_unclear_dry_run_writes_nothing(cast: Cast, helper: Agent, door: Door, word: object) -> None:
    answer = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "name": "New", "dry_run": word})

    assert "dry_run" in answer.sentence
    helper.refresh_from_db()
    assert helper.name == "Helper"


def test_a_real_update_is_felt_in_the_next_listing(cast: Cast, helper: Agent, door: Door) -> None:
    assert "helper" in str(door.listed(cast.ben.key))

    door.call(cast.ana.key, "agent_update", {"agentId": "helper", "enabled": False, "dry_run": None})

    call = next(tool for tool in door.listed(cast.ben.key) if tool["name"] == "agent_call")
    assert "enum" not in call["inputSchema"]["properties"]["agentId"]
