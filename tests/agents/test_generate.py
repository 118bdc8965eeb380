"""POST /agents/:agentId/generate, offline."""

from typing import Any

import pytest

from agents.actions import create_agent
from agents.models import PRIVATE, Agent
from conversations.models import Message, Thread
from tests.agents.grants import grant
from tests.agents.http import generate
from tests.cast import Cast

REPLY_KEYS = {
    "text", "finishReason", "usage", "totalUsage", "cost", "steps", "toolCalls", "toolResults", "reasoning", "files",
    "sources", "warnings", "request", "response", "messages", "rememberedMessages", "usedFallbackValue", "threadId",
    "resourceId", "runId", "traceId", "spanId",
}  # fmt: skip


def test_an_answer_has_every_field(cast: Cast, helper: Agent) -> None:
    answer = generate(cast.ben, "helper", messages="When are invoices paid?")

    assert answer.status == 200
    assert set(answer.body) == REPLY_KEYS
    assert answer.body["text"] == (
        "You said: When are invoices paid?\nMy instructions say: Invoices are paid within 14 days."
    )
    assert (answer.body["finishReason"], answer.body["cost"], answer.body["warnings"]) == ("stop", 0.0, [])
    assert len(answer.body["traceId"]) == 32


def test_without_memory_nothing_is_kept(cast: Cast, helper: Agent) -> None:
    answer = generate(cast.ben, "helper", messages="hi")

    assert (answer.body["threadId"], answer.body["resourceId"]) == (None, None)
    assert not Thread.objects.filter(tenant=cast.tenant).exists()
    assert "threadId" not in answer.body["messages"][0]


def test_usage_is_the_sum_of_the_steps_and_raw_the_last(cast: Cast, helper: Agent) -> None:
    body = generate(cast.ben, "helper", messages="current_time please, timezone: Asia/Tokyo").body

    tokens = [step["usage"]["totalTokens"] for step in body["steps"]]
    assert [step["stepType"] for step in body["steps"]] == ["initial", "tool-result"]
    assert body["usage"]["totalTokens"] == body["totalUsage"]["totalTokens"] == sum(tokens)
    assert body["usage"]["raw"]["totalTokens"] == tokens[-1]


def test_a_tool_call_is_told_in_steps_messages_and_lists(cast: Cast, helper: Agent) -> None:
    body = generate(cast.ben, "helper", messages="current_time please, timezone: Asia/Tokyo", runId="run-1").body

    assert body["steps"][0]["finishReason"] == "tool-calls"
    assert body["toolCalls"] == body["steps"][0]["toolCalls"] == [
        {
            "type": "tool-call", "runId": "run-1", "from": "AGENT",
            "payload": {"toolCallId": "call_1", "toolName": "current_time", "args": {"timezone": "Asia/Tokyo"}},
        }
    ]  # fmt: skip
    assert body["toolResults"][0]["payload"]["result"]["timezone"] == "Asia/Tokyo"
    assert [part["type"] for part in body["messages"][1]["content"]["parts"]] == [
        "tool-invocation",
        "step-start",
        "text",
    ]
    assert [message["role"] for message in body["response"]["messages"]] == ["assistant", "tool", "assistant"]
    assert body["response"]["uiMessages"][0]["parts"][0]["state"] == "output-available"


@pytest.mark.parametrize(
    "messages",
    [
        "hello",
        ["hello"],
        {"role": "user", "content": "hello"},
        [{"role": "user", "content": "hello"}],
        [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
        [{"id": "1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}],
        [{"role": "user", "content": {"format": 2, "parts": [{"type": "text", "text": "hello"}]}, "threadId": "t"}],
        [{"role": "system", "content": "Be kind."}, {"role": "assistant", "content": "Yes?"}, "hello"],
    ],
)
def test_messages_come_in_many_forms(cast: Cast, helper: Agent, messages: Any) -> None:
    answer = generate(cast.ben, "helper", messages=messages)

    assert (answer.status, answer.body["text"].splitlines()[0]) == (200, "You said: hello")


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([], "messages"),
        (None, "messages"),
        (7, "messages"),
        ("a\u0000b", "body"),
        ([{"role": "user", "content": "a\u0000b"}], "body"),
        ([{"role": "robot", "content": "x"}], "messages.0.role"),
        ([{"role": "user"}], "messages.0.parts"),
        ([{"role": "user", "content": ""}, {"role": "user", "content": []}], "messages.1.content"),
        ([{"role": "user", "content": "x", "colour": "red"}], "messages.0.colour"),
        ([{"role": "user", "content": [{"type": "file", "data": "x"}]}], "messages.0.content.0"),
        ([{"role": "assistant", "content": "x"}], "messages"),
    ],
)
def test_messages_that_mean_nothing_are_refused_by_path(cast: Cast, helper: Agent, messages: Any, field: str) -> None:
    answer = generate(cast.ben, "helper", messages=messages, threadId="t")

    assert (answer.status, answer.body["issues"][0]["field"]) == (400, field)
    assert not Thread.objects.filter(tenant=cast.tenant).exists()


@pytest.mark.parametrize("text", ["😀👩‍👩‍👧", "שלום עולם", "مرحبا بالعالم", "e\u0301 \u200f", "  blanks stay  "])
def test_any_script_is_answered_and_kept_unchanged(cast: Cast, helper: Agent, text: str) -> None:
    answer = generate(cast.ben, "helper", messages=text, threadId="t")

    kept = Message.objects.filter(tenant=cast.tenant, role="user").get()
    assert answer.body["text"].startswith(f"You said: {text}\n")
    assert kept.content["content"] == text


def test_an_unknown_key_is_refused_with_the_known_ones(cast: Cast, helper: Agent) -> None:
    answer = generate(cast.ben, "helper", messages="x", unknownThing=1)

    assert answer.status == 400
    assert answer.body["issues"][0]["field"] == "unknownThing"
    assert "known keys: activeTools, clientTools, context" in answer.body["issues"][0]["message"]


@pytest.mark.parametrize("key", ["stopWhen", "structuredOutput", "clientTools", "requestContext", "providerOptions"])
def test_a_key_that_is_known_and_not_supported_is_refused_by_name(cast: Cast, helper: Agent, key: str) -> None:
    answer = generate(cast.ben, "helper", messages="x", **{key: {"a": 1}})

    assert answer.status == 400
    assert answer.body["issues"] == [{"field": key, "message": f"{key} is not supported by this server; leave it out"}]


def test_null_for_a_key_is_as_if_it_were_left_out(cast: Cast, helper: Agent) -> None:
    nothing = dict.fromkeys(("memory", "threadId", "maxSteps", "model", "stopWhen", "context", "instructions"))

    assert generate(cast.ben, "helper", messages="x", **nothing).status == 200


def test_instructions_replace_the_agents_own_and_system_is_added(cast: Cast, helper: Agent) -> None:
    replaced = generate(cast.ben, "helper", messages="hi", instructions="Speak of boats.").body["text"]
    added = generate(cast.ben, "helper", messages="boats?", system=["Boats are blue."]).body["text"]

    assert replaced == "You said: hi\nMy instructions say: Speak of boats."
    assert added == "You said: boats?\nMy instructions say: Boats are blue."


def test_context_is_read_and_not_kept(cast: Cast, helper: Agent) -> None:
    answer = generate(cast.ben, "helper", messages="Which fruit?", context=["The fruit is a pear."], threadId="t")

    assert "Earlier you said: The fruit is a pear." in answer.body["text"]
    assert Message.objects.filter(thread__tenant=cast.tenant).count() == 2


def test_one_step_at_most_stops_after_the_tools(cast: Cast, helper: Agent) -> None:
    body = generate(cast.ben, "helper", messages="current_time please, timezone: Asia/Tokyo", maxSteps=1).body

    assert (body["text"], body["finishReason"], len(body["steps"])) == ("", "tool-calls", 1)
    assert body["toolResults"][0]["payload"]["result"]["timezone"] == "Asia/Tokyo"


@pytest.mark.parametrize("steps", [0, -1, 51, "x", 1.5, True])
def test_steps_out_of_range_are_refused(cast: Cast, helper: Agent, steps: Any) -> None:
    answer = generate(cast.ben, "helper", messages="x", maxSteps=steps)

    assert (answer.status, answer.body["issues"][0]["field"]) == (400, "maxSteps")


def test_tools_can_be_left_out_of_a_turn(cast: Cast, helper: Agent) -> None:
    text = "current_time please, timezone: Asia/Tokyo"

    assert generate(cast.ben, "helper", messages=text, toolChoice="none").body["toolCalls"] == []
    assert generate(cast.ben, "helper", messages=text, activeTools=[]).body["toolCalls"] == []
    assert generate(cast.ben, "helper", messages=text, activeTools=["other"]).body["issues"] == [
        {"field": "activeTools", "message": "the agent has no tool 'other'; it has: current_time"}
    ]


def test_an_unknown_model_is_422_with_what_there_is(cast: Cast, helper: Agent) -> None:
    answer = generate(cast.ben, "helper", messages="x", model="openai/gpt-4o", threadId="t")

    assert answer == (422, {"error": "Unknown model 'openai/gpt-4o'; available: offline/demo."})
    assert not Thread.objects.filter(tenant=cast.tenant).exists()


def test_settings_of_the_model_are_taken_and_checked(cast: Cast, helper: Agent) -> None:
    wished = {"temperature": 0.1, "maxOutputTokens": 50, "topP": 0.5, "topK": 3, "seed": 1, "stopSequences": ["x"]}

    assert generate(cast.ben, "helper", messages="x", modelSettings=wished).status == 200
    refused = generate(cast.ben, "helper", messages="x", modelSettings={"temperature": 9, "colour": 1})
    assert refused.body["issues"][0]["field"] == "modelSettings.colour"


def test_foreign_and_missing_agents_answer_the_same(cast: Cast, helper: Agent) -> None:
    create_agent(cast.ben.principal, slug="bens", name="Ben's", visibility=PRIVATE)

    for person, agent_id in ((cast.zoe, "helper"), (cast.bea, "bens"), (cast.ben, "nope")):
        answer = generate(person, agent_id, messages="hi")
        assert answer == (404, {"error": f"Agent with id {agent_id} not found"})


def test_a_viewer_may_not_call_and_a_grant_opens_one_agent(cast: Cast, helper: Agent) -> None:
    create_agent(cast.ana.principal, slug="other", name="Other")
    assert generate(cast.vic, "helper", messages="hi").status == 403

    grant(cast, "agents:execute", "helper", role=cast.roles["viewer"])

    assert generate(cast.vic, "helper", messages="hi").status == 200
    assert generate(cast.vic, "other", messages="hi").status == 404


def test_an_agent_with_a_tool_that_is_gone_says_so(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="old", name="Old", tools=["no_such_tool"])

    answer = generate(cast.ben, "old", messages="hi")

    assert answer == (422, {"error": "Agent old uses tools that do not exist: no_such_tool; edit the agent."})
