"""POST /agents/:agentId/generate with a real server behind the model."""

import json

import pytest
from pytest_django import Settings

from agents.models import Agent
from conversations.models import Message, Thread
from tests.agents.http import Answer, generate
from tests.cast import Cast
from tests.models_server import ModelsServer


def _say(cast: Cast, model: str, text: str = "hi", **body: object) -> Answer:
    return generate(cast.ben, "helper", messages=text, model=f"openai/{model}", **body)


def _roles(cast: Cast) -> list[str]:
    return [message.role for message in Message.objects.filter(thread__tenant=cast.tenant)]


def test_the_model_reads_instructions_history_and_message(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    _say(cast, "echo", "first", threadId="t")
    answer = _say(cast, "echo", "second", threadId="t")

    assert answer.body["text"] == "Echo: second"
    assert [(message["role"], message["content"]) for message in models.asked[1]["messages"]] == [
        ("system", helper.instructions),
        ("user", "first"),
        ("assistant", "Echo: first"),
        ("user", "second"),
    ]


def test_the_answer_tells_model_usage_and_no_made_up_cost(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    body = _say(cast, "echo").body

    assert body["usage"] == {
        "inputTokens": 11, "outputTokens": 7, "totalTokens": 18,
        "raw": {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18},
    }  # fmt: skip
    assert body["cost"] is None
    assert body["response"]["id"] == "resp_1"
    assert body["response"]["modelMetadata"]["modelProvider"] == "openai"


def test_a_tool_call_runs_and_its_result_goes_back(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    body = _say(cast, "clock").body

    result = body["toolResults"][0]["payload"]["result"]
    assert (result["timezone"], json.loads(body["text"])) == ("Europe/Berlin", result)
    assert body["usage"]["totalTokens"] == 36
    assert [tool["function"]["name"] for tool in models.asked[0]["tools"]] == ["current_time"]


def test_two_tool_calls_at_once_both_run(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    body = _say(cast, "two-clocks").body

    zones = [result["payload"]["result"]["timezone"] for result in body["toolResults"]]
    assert (zones, len(body["steps"])) == (["Europe/Berlin", "Asia/Tokyo"], 2)


def test_the_next_turn_shows_the_model_what_the_tools_returned(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    _say(cast, "clock", threadId="t")
    _say(cast, "echo", threadId="t")

    assert [message["role"] for message in models.asked[-1]["messages"]] == [
        "system", "user", "assistant", "tool", "assistant", "user"
    ]  # fmt: skip


def test_a_tool_that_is_not_there_is_told_to_the_model(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    body = _say(cast, "unknown-tool").body

    result = body["toolResults"][0]["payload"]
    assert (result["toolName"], result["isError"], result["args"]) == ("open_the_door", True, {"code": 1})
    assert "Unknown tool name" in body["text"]


def test_a_model_that_never_stops_calling_is_stopped_after_the_steps(
    cast: Cast, helper: Agent, models: ModelsServer
) -> None:
    body = _say(cast, "loop", threadId="t").body

    assert (len(models.asked), len(body["steps"]), body["finishReason"], body["text"]) == (5, 5, "tool-calls", "")
    assert len(body["toolResults"]) == 5
    assert _roles(cast) == ["user", "assistant"]


def test_a_turn_that_ended_with_tools_can_be_continued(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    _say(cast, "loop", maxSteps=1, threadId="t")

    assert _say(cast, "echo", "go on", threadId="t").body["text"] == "Echo: go on"


def test_settings_reach_the_model(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    wished = {"temperature": 0.25, "maxOutputTokens": 50, "topP": 0.5, "seed": 7, "stopSequences": ["END"]}

    _say(cast, "echo", modelSettings=wished)

    assert models.asked[0].items() >= {"temperature": 0.25, "top_p": 0.5, "seed": 7, "stop": ["END"]}.items()
    assert 50 in (models.asked[0].get("max_tokens"), models.asked[0].get("max_completion_tokens"))


@pytest.mark.parametrize("model", ["refuse-429", "refuse-401", "fail-500", "malformed", "odd", "huge", "cut"])
def test_a_failing_model_is_502_with_a_trace_and_keeps_the_message(
    cast: Cast, helper: Agent, models: ModelsServer, model: str
) -> None:
    answer = _say(cast, model, threadId="t")

    assert answer.status == 502
    assert set(answer.body) == {"error", "traceId"}
    assert f"openai/{model}" in answer.body["error"]
    assert "secret detail" not in answer.body["error"]
    assert (len(answer.body["traceId"]), len(models.asked)) == (32, 1)
    assert _roles(cast) == ["user"]


@pytest.mark.parametrize("model", ["silent", "drip"])
def test_past_its_time_a_call_is_stopped_and_the_thread_kept(
    cast: Cast, helper: Agent, models: ModelsServer, settings: Settings, model: str
) -> None:
    settings.LIMIT_CALL_SECONDS = 0.5

    answer = _say(cast, model, threadId="t")

    assert answer.status == 504
    assert answer.body["error"] == (
        "Agent helper did not answer within 0.5 seconds and was stopped; your message is kept in thread t; "
        "try again, or ask for less."
    )
    assert len(answer.body["traceId"]) == 32
    assert models.abandoned.wait(2)
    assert _roles(cast) == ["user"]


def test_a_stopped_thread_can_be_continued(cast: Cast, helper: Agent, models: ModelsServer, settings: Settings) -> None:
    settings.LIMIT_CALL_SECONDS = 0.3
    _say(cast, "silent", "first", threadId="t")
    settings.LIMIT_CALL_SECONDS = 10

    assert _say(cast, "echo", "second", threadId="t").body["text"] == "Echo: second"
    assert _roles(cast) == ["user", "user", "assistant"]


def test_without_a_thread_the_sentence_names_none(
    cast: Cast, helper: Agent, models: ModelsServer, settings: Settings
) -> None:
    settings.LIMIT_CALL_SECONDS = 0.3

    answer = _say(cast, "silent")

    assert "thread" not in answer.body["error"]
    assert not Thread.objects.filter(tenant=cast.tenant).exists()


def test_the_agents_own_model_is_used_without_a_wish(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    Agent.objects.filter(pk=helper.pk).update(model="openai/echo")

    assert generate(cast.ben, "helper", messages="hi").body["text"] == "Echo: hi"
