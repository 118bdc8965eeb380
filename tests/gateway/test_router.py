"""Router keys: three small tools over the same surface, and no way around an allowlist."""

import pytest

from agents.models import Agent
from gateway.models import FeaturedAgent
from tests.cast import Cast
from tests.gateway.clients import Door

UNKNOWN = -32602


@pytest.fixture
def router_key(cast: Cast) -> str:
    return cast.ben.issue(["execute_tool", "agent_list"])


def test_a_router_key_sees_three_tools_and_whoami(cast: Cast, door: Door, router_key: str) -> None:
    assert door.names(router_key) == ["search_tools", "describe_tool", "execute_tool", "whoami"]


def test_search_with_no_words_lists_everything_the_key_reaches(cast: Cast, door: Door, router_key: str) -> None:
    answer = door.call(router_key, "search_tools", {"query": ""})

    assert [row["name"] for row in answer.value["tools"]] == ["whoami", "get_context", "agent_list"]
    assert answer.value["total"] == 3
    assert answer.value["tools"][2] == {
        "name": "agent_list",
        "write": False,
        "summary": "Lists the agents you can use, each with id, name and description.",
    }


def test_search_ranks_full_matches_before_partial_ones(cast: Cast, door: Door) -> None:
    key = cast.ana.issue(["execute_tool", "*"])

    rows = door.call(key, "search_tools", {"query": "update agent"}).value["tools"]

    assert rows[0]["name"] == "agent_update"
    assert rows[0]["write"] is True
    assert [row.get("partial") for row in rows][:2] == [None, True]


def test_search_repairs_a_misspelt_word(cast: Cast, door: Door) -> None:
    key = cast.ana.issue(["execute_tool", "*"])

    rows = door.call(key, "search_tools", {"query": "departmnets"}).value["tools"]

    assert rows[0]["name"] == "department_list"


def test_describe_gives_the_full_definition(cast: Cast, door: Door, router_key: str) -> None:
    described = door.call(router_key, "describe_tool", {"name": "agent_list"}).value

    [listed] = [tool for tool in door.listed(cast.ben.key) if tool["name"] == "agent_list"]
    assert described == {name: listed[name] for name in ("name", "description", "inputSchema", "annotations")}


def test_describe_takes_an_older_name(cast: Cast, door: Door, router_key: str) -> None:
    assert door.call(router_key, "describe_tool", {"name": "list_agents"}).value["name"] == "agent_list"


def test_execute_gives_what_a_direct_call_gives(cast: Cast, door: Door, helper: Agent, router_key: str) -> None:
    direct = door.call(cast.ben.key, "agent_list", {})

    through = door.call(router_key, "execute_tool", {"name": "agent_list", "input": {}})

    assert through.result["content"] == direct.result["content"]
    assert through.result["structuredContent"] == direct.result["structuredContent"]


def test_a_target_can_be_called_by_its_own_name(cast: Cast, door: Door, helper: Agent, router_key: str) -> None:
    assert door.call(router_key, "agent_list", {}).value["agents"][0]["id"] == "helper"


@pytest.mark.parametrize("name", ["whoami", "get_context"])
def test_the_session_tools_can_be_executed(cast: Cast, door: Door, router_key: str, name: str) -> None:
    assert door.call(router_key, "execute_tool", {"name": name}).result["isError"] is False


def test_an_older_name_is_the_same_tool(cast: Cast, door: Door, helper: Agent, router_key: str) -> None:
    answer = door.call(router_key, "execute_tool", {"name": "list_agents"})

    assert answer.value["agents"][0]["id"] == "helper"


@pytest.mark.parametrize(
    "name",
    [
        "memory_save", "vertical__x", "execute_tool", "search_tools", "describe_tool", "Execute_Tool", "execute_tool ",
        "execute_tool\u200b", "\u200bsearch_tools", " Agent_List ", "agent_list ", "Agent_list", "agent_list\u200b",
        "AGENT_LIST", "agent_call", "agent_update", "list_Agents", "",
    ],
)  # fmt: skip
def test_every_other_spelling_and_tool_is_unknown(cast: Cast, door: Door, router_key: str, name: str) -> None:
    answer = door.call(router_key, "execute_tool", {"name": name, "input": {}})

    if name:
        assert answer.error["code"] == UNKNOWN
        assert answer.error["message"] == f"Unknown tool: {name}"
    else:
        assert answer.sentence == "execute_tool: name must not be empty."


@pytest.mark.parametrize("name", ["agent_call", "no_such_tool", "execute_tool"])
def test_describe_knows_no_more_than_execute(cast: Cast, door: Door, router_key: str, name: str) -> None:
    assert door.call(router_key, "describe_tool", {"name": name}).error["code"] == UNKNOWN


@pytest.mark.parametrize("name", ["search_tools", "describe_tool", "execute_tool"])
def test_other_keys_do_not_know_the_router_tools(cast: Cast, door: Door, name: str) -> None:
    answer = door.call(cast.ana.key, name, {"name": "whoami"})

    assert answer.error == {"code": UNKNOWN, "message": f"Unknown tool: {name}"}


def test_a_read_only_router_key_keeps_execute_and_refuses_writes(cast: Cast, door: Door, helper: Agent) -> None:
    key = cast.ana.issue(["execute_tool", "*"], read_only=True)

    refused = door.call(key, "execute_tool", {"name": "agent_update", "input": {"agentId": "helper", "name": "New"}})

    assert door.names(key) == ["search_tools", "describe_tool", "execute_tool", "whoami"]
    assert refused.error["code"] == UNKNOWN
    helper.refresh_from_db()
    assert helper.name == "Helper"


def test_a_featured_agent_is_a_target(cast: Cast, door: Door, helper: Agent) -> None:
    FeaturedAgent.objects.create(tenant=cast.tenant, agent=helper)
    key = cast.ben.issue(["execute_tool", "agent_helper"])

    answer = door.call(key, "execute_tool", {"name": "agent_helper", "input": {"message": "Hello"}})

    assert answer.value["threadId"]
