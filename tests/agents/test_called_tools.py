"""Agents call the tools of the registry with the rights of whoever talks to them."""

from typing import Any

import pytest

from agents.actions import create_agent
from tests.agents.http import generate
from tests.cast import Cast, Person
from tests.toolbox.conftest import bad_tools, change

__all__ = ["bad_tools"]


@pytest.fixture(autouse=True)
def worker(cast: Cast, bad_tools: None) -> None:
    """An agent with tools that work and tools that do not."""
    tools = ["weather", "raises", "exits", "needs_approval", "calculator"]
    create_agent(cast.ana.principal, slug="worker", name="Worker", tools=tools)


def called(person: Person, text: str) -> dict[str, Any]:
    """What came back from the one tool that the agent called."""
    [result] = generate(person, "worker", messages=text).body["toolResults"]
    payload: dict[str, Any] = result["payload"]
    return payload


def test_an_agent_gets_what_the_tool_returns(cast: Cast) -> None:
    payload = called(cast.ben, "weather please, city: Kiel")

    assert payload["args"] == {"city": "Kiel"}
    assert payload["result"] == {"city": "Kiel", "units": "c"}
    assert "isError" not in payload


def test_an_agent_shows_the_schemas_of_its_tools(cast: Cast) -> None:
    payload = called(cast.ben, 'calculator please, expression: "6*7"')

    assert payload["result"] == {"result": 42, "text": "42"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raises please", "Tool raises failed; try again, and report it with the trace id if it stays."),
        ("exits please", "Tool exits ended its process before it answered; report it with the trace id."),
        (
            'needs approval please, data: "/nowhere/at/all"',
            "Tool needs_approval runs only after a person has approved the call, which nobody can do here yet.",
        ),
        ('calculator please, expression: "1/0"', "divided by zero"),
    ],
)
def test_a_failure_is_told_to_the_model_and_the_turn_goes_on(cast: Cast, text: str, said: str) -> None:
    answer = generate(cast.ben, "worker", messages=text)

    [result] = answer.body["toolResults"]
    assert answer.status == 200
    assert result["payload"]["isError"] is True
    assert said in result["payload"]["result"]
    assert answer.body["finishReason"] == "stop"


def test_a_tool_that_the_caller_may_not_use_is_not_offered(cast: Cast) -> None:
    change(cast, "weather", department=cast.support)

    assert generate(cast.ben, "worker", messages="weather please, city: Kiel").body["toolResults"] == []
    assert called(cast.bea, "weather please, city: Kiel")["result"]["city"] == "Kiel"


def test_a_disabled_tool_is_not_offered(cast: Cast) -> None:
    change(cast, "weather", enabled=False)

    answer = generate(cast.ana, "worker", messages="weather please, city: Kiel")

    assert (answer.status, answer.body["toolResults"]) == (200, [])


def test_an_agent_with_a_tool_that_nobody_declares_says_so(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="lost", name="Lost", tools=["no_such_tool"])

    answer = generate(cast.ben, "lost", messages="hi")

    assert (answer.status, answer.body["error"]) == (
        422, "Agent lost uses tools that do not exist: no_such_tool; edit the agent.",
    )  # fmt: skip
