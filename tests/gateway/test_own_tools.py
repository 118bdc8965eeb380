"""Tools of the registry over MCP: each under its own name, or three to find and call them."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from gateway.models import McpSettings
from tests.agents.grants import grant
from tests.cast import Cast, Person
from tests.gateway.clients import Door
from tests.toolbox.conftest import MODULES, change

OWN = ["tool_calculator", "tool_current_time", "tool_http_fetch"]
IDS = ["calculator", "current_time", "http_fetch"]


def tools(door: Door, key: str, query: str = "") -> list[str]:
    """The names of the toolset."""
    return [name for name in door.names(key, query) if name.startswith("tool_")]


def definition(door: Door, key: str, name: str) -> dict[str, Any]:
    """One tool as it is listed."""
    return next(tool for tool in door.listed(key) if tool["name"] == name)


def choices(door: Door, key: str, name: str) -> Any:
    """The enum of its toolId."""
    return definition(door, key, name)["inputSchema"]["properties"]["toolId"].get("enum")


def more_tools(cast: Cast, settings: Settings) -> None:
    """The tools of the tests beside the shipped ones; there are more of them than are listed by default."""
    settings.TOOL_MODULES = MODULES
    McpSettings.objects.create(tenant=cast.tenant, enum_limit=200)


def test_each_tool_has_its_own_name_and_schema(cast: Cast, door: Door) -> None:
    found = definition(door, cast.ben.key, "tool_calculator")

    assert tools(door, cast.ben.key) == OWN
    assert found["title"] == "Calculator"
    assert found["description"].startswith("Works out an arithmetic expression")
    assert found["inputSchema"]["required"] == ["expression"]
    assert found["inputSchema"]["additionalProperties"] is False
    assert set(found["outputSchema"]["properties"]) == {"result", "text"}
    assert found["annotations"] == {
        "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False,
    }  # fmt: skip


def test_a_call_returns_what_the_tool_returns(cast: Cast, door: Door) -> None:
    answer = door.call(cast.ben.key, "tool_calculator", {"expression": "0.1 + 0.2"})

    assert answer.value == answer.result["structuredContent"] == {"result": 0.3, "text": "0.3"}


def test_input_that_breaks_the_schema_is_one_sentence(cast: Cast, door: Door) -> None:
    assert door.call(cast.ben.key, "tool_calculator", {}).sentence == "tool_calculator: expression is required."
    assert door.call(cast.ben.key, "tool_calculator", {"expression": "1 / 0"}).sentence == (
        "Invalid input for the tool calculator: data.expression Something is divided by zero."
    )


def test_above_the_limit_three_tools_find_and_call_them(cast: Cast, door: Door) -> None:
    McpSettings.objects.create(tenant=cast.tenant, enum_limit=2)

    assert tools(door, cast.ben.key) == ["tool_list", "tool_get", "tool_call"]
    assert tools(door, cast.vic.key) == ["tool_list", "tool_get"]
    assert choices(door, cast.ben.key, "tool_call") is None
    assert [tool["id"] for tool in door.call(cast.ben.key, "tool_list").value["tools"]] == IDS
    assert door.call(cast.ben.key, "tool_get", {"toolId": "calculator"}).value["inputSchema"]["required"] == [
        "expression"
    ]
    answer = door.call(cast.ben.key, "tool_call", {"toolId": "calculator", "data": {"expression": "2 + 2"}})
    assert answer.value == {"result": 4, "text": "4"}
    assert door.call(cast.ben.key, "tool_calculator", {"expression": "1"}).error["code"] == -32602


def test_the_tools_that_others_stand_in_for_are_unavailable(cast: Cast, door: Door) -> None:
    hidden = door.call(cast.ana.key, "whoami").value["tools"]["hidden"]

    assert hidden["unavailable"] == 3
    assert door.call(cast.ana.key, "tool_list").error == {"code": -32602, "message": "Unknown tool: tool_list"}


@pytest.mark.parametrize("query", ["", "?readonly=1"])
def test_who_may_not_call_reads(cast: Cast, door: Door, query: str) -> None:
    key = cast.ana.key if query else cast.vic.key

    assert tools(door, key, query) == ["tool_list", "tool_get"]
    assert door.call(key, "tool_calculator", {"expression": "1"}, query=query).error["code"] == -32602


def test_a_tool_s_own_hint_never_makes_it_read_only(cast: Cast, door: Door) -> None:
    key = cast.ana.issue(["*"], read_only=True)

    assert tools(door, key) == ["tool_list", "tool_get"]
    assert choices(door, key, "tool_get") == IDS


@pytest.mark.parametrize(
    ("allowlist", "listed"),
    [
        (["tool_*"], OWN),
        (["tool_calculator"], ["tool_calculator"]),
        (["tool_list", "tool_call"], ["tool_list", "tool_call"]),
        (["call_tool"], ["tool_call"]),
        (["agent_list"], []),
    ],
)
def test_an_allowlist_may_name_tools_or_the_three(
    cast: Cast, door: Door, allowlist: list[str], listed: list[str]
) -> None:
    assert tools(door, cast.ben.issue(allowlist)) == listed


def test_a_router_key_reaches_them(cast: Cast, door: Door) -> None:
    key = cast.ben.issue(["tool_calculator", "execute_tool"])

    answer = door.call(key, "execute_tool", {"name": "tool_calculator", "input": {"expression": "6 * 7"}})

    assert answer.value["result"] == 42
    found = door.call(key, "search_tools", {"query": "arithmetic"}).value["tools"]
    assert [row["name"] for row in found] == ["tool_calculator"]


def test_a_disabled_tool_is_gone_at_once(cast: Cast, door: Door) -> None:
    assert tools(door, cast.ben.key) == OWN

    change(cast, "calculator", enabled=False)

    assert tools(door, cast.ben.key) == OWN[1:]
    assert choices(door, cast.vic.key, "tool_get") == IDS[1:]
    assert door.call(cast.ben.key, "tool_calculator", {"expression": "1"}).error["code"] == -32602
    assert tools(door, cast.zoe.key) == OWN


def test_a_tool_of_a_department_is_its_members(cast: Cast, door: Door) -> None:
    change(cast, "calculator", department=cast.support)

    assert tools(door, cast.ben.key) == OWN[1:]
    assert tools(door, cast.bea.key) == tools(door, cast.ana.key) == OWN


def test_a_grant_adds_one_tool_to_list_enum_and_call(cast: Cast, door: Door) -> None:
    change(cast, "calculator", department=cast.support)
    grant(cast, "tools:read", "calculator", object_type="tool", user=cast.vic.user)
    listed = choices(door, cast.vic.key, "tool_get")
    grant(cast, "tools:execute", "calculator", object_type="tool", user=cast.vic.user)

    assert listed == IDS
    assert tools(door, cast.vic.key) == ["tool_calculator"]
    assert door.call(cast.vic.key, "tool_calculator", {"expression": "1 + 1"}).value["result"] == 2
    assert tools(door, cast.ben.key) == OWN[1:]


def test_the_schema_of_a_tool_stays_as_its_author_wrote_it(cast: Cast, door: Door, settings: Settings) -> None:
    more_tools(cast, settings)

    weather = definition(door, cast.ben.key, "tool_weather")

    assert weather["inputSchema"] == {
        "type": "object",
        "properties": {"city": {"type": "string"}, "units": {"type": "string", "default": "c"}},
        "required": ["city"],
    }
    assert set(definition(door, cast.ben.key, "tool_breaks_its_schema")["outputSchema"]["properties"]) == {
        "city", "degrees",
    }  # fmt: skip
    assert "outputSchema" not in definition(door, cast.ben.key, "tool_tells_its_process")
    assert weather["annotations"]["readOnlyHint"] is True
    assert door.call(cast.ben.key, "tool_weather", {"city": "Kiel", "more": 1}).value == {"city": "Kiel", "units": "c"}


def test_an_input_that_is_no_object_is_wrapped(cast: Cast, door: Door, settings: Settings) -> None:
    more_tools(cast, settings)

    found = definition(door, cast.ben.key, "tool_tells_its_process")

    assert found["inputSchema"]["required"] == ["data"]
    for data in ([1, 2], "text", {"a": None}, 0):
        answer = door.call(cast.ben.key, "tool_tells_its_process", {"data": data})
        assert answer.value["given"] == data


def test_a_failure_is_one_sentence_and_a_trace_id(cast: Cast, door: Door, settings: Settings) -> None:
    more_tools(cast, settings)

    answer = door.call(cast.ben.key, "tool_raises")

    assert answer.sentence == "Tool raises failed; try again, and report it with the trace id if it stays."
    assert len(answer.value["traceId"]) == 32


@pytest.mark.parametrize("person", ["ana", "ben"])
def test_a_tool_that_needs_approval_is_refused(cast: Cast, door: Door, settings: Settings, person: str) -> None:
    more_tools(cast, settings)
    caller: Person = getattr(cast, person)

    assert door.call(caller.key, "tool_needs_approval", {"data": "/nowhere/at/all"}).sentence.startswith(
        "Tool needs_approval runs only after a person has approved the call"
    )
