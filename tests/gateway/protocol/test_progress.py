"""Word of a call that takes longer than a second, to those who gave a token."""

from typing import Any

import pytest
from pytest_django import Settings

from agents.models import Agent
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import legacy_headers, message, modern, modern_headers, send
from tests.inference.conftest import models
from tests.models_server import ModelsServer

__all__ = ["models"]

CALL: dict[str, Any] = {"name": "agent_call", "arguments": {"agentId": "helper", "message": "hi"}}


@pytest.fixture(autouse=True)
def slow(helper: Agent, models: ModelsServer, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent's model never answers; a call is given up after two seconds, and told of every quarter of one."""
    monkeypatch.setattr("gateway.calls.NEXT_PROGRESS", 0.25)
    settings.LIMIT_CALL_SECONDS = 2
    Agent.objects.filter(pk=helper.pk).update(model="openai/silent")


@pytest.mark.parametrize("token", [0, "", 7, "ü🙂"])
@pytest.mark.parametrize("generation", ["older", "stateless"])
def test_a_token_of_any_value_gets_rising_progress(cast: Cast, door: Door, token: int | str, generation: str) -> None:
    if generation == "older":
        answer = send(
            door, message("tools/call", {**CALL, "_meta": {"progressToken": token}}), legacy_headers(cast.ben.key)
        )
    else:
        headers = modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": "agent_call"})
        answer = send(door, modern("tools/call", CALL, progressToken=token), headers)

    *told, last = answer.body
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-accel-buffering"] == "no"
    assert {said["method"] for said in told} == {"notifications/progress"}
    assert [said["params"]["progressToken"] for said in told] == [token] * len(told)
    steps = [said["params"]["progress"] for said in told]
    assert steps == sorted(set(steps))
    assert steps[:2] == [1.0, 1.25]
    assert last["id"] == 7
    assert last["result"]["isError"] is True


@pytest.mark.parametrize("meta", [{}, {"progressToken": None}, {"progressToken": True}, {"progressToken": []}])
def test_without_a_token_there_is_one_answer(cast: Cast, door: Door, meta: dict[str, Any]) -> None:
    answer = send(door, message("tools/call", {**CALL, "_meta": meta}), legacy_headers(cast.ben.key))

    assert answer.headers["content-type"] == "application/json"
    assert answer.result["isError"] is True


def test_a_quick_call_says_nothing_on_its_way(cast: Cast, door: Door) -> None:
    body = message("tools/call", {"name": "whoami", "_meta": {"progressToken": 0}})

    answer = send(door, body, legacy_headers(cast.ben.key))

    assert answer.headers["content-type"] == "application/json"
