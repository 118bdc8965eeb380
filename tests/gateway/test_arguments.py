"""Arguments in: what is forgiven, and what is a sentence that names the argument."""

import pytest

from agents.models import Agent
from tests.cast import Cast
from tests.gateway.clients import Door


@pytest.mark.parametrize("given", [400, "400", 400.0])
def test_a_number_may_come_as_its_exact_text(cast: Cast, door: Door, given: object) -> None:
    assert door.call(cast.ben.key, "get_context", {"maxTokens": given}).result["isError"] is False


@pytest.mark.parametrize("given", ["0x190", 400.5, "400.5", " 400", "4e2x", "", True, [400], {}])
def test_what_is_no_whole_number_is_named(cast: Cast, door: Door, given: object) -> None:
    answer = door.call(cast.ben.key, "get_context", {"maxTokens": given})

    assert answer.sentence == "get_context: maxTokens must be a whole number."


@pytest.mark.parametrize(("given", "expected"), [(199, "at least 200"), ("16001", "at most 16000")])
def test_a_number_outside_its_limits_is_named(cast: Cast, door: Door, given: object, expected: str) -> None:
    answer = door.call(cast.ben.key, "get_context", {"maxTokens": given})

    assert answer.sentence == f"get_context: maxTokens must be {expected}."


@pytest.mark.parametrize("arguments", [None, {}, {"maxTokens": None, "query": None}])
def test_missing_null_and_empty_arguments_are_equal(cast: Cast, door: Door, arguments: object) -> None:
    answer = door.call(cast.ben.key, "get_context", arguments)

    assert answer.result["structuredContent"]["tokens"] > 0


def test_null_arguments_are_no_arguments(cast: Cast, door: Door) -> None:
    answer = door.ask(cast.ben.key, "tools/call", {"name": "get_context", "arguments": None})

    assert answer.result["isError"] is False


def test_an_unknown_argument_gets_the_known_ones_and_the_nearest(cast: Cast, door: Door) -> None:
    answer = door.call(cast.ben.key, "get_context", {"maxToken": 400})

    assert answer.sentence == (
        "get_context: maxToken: unknown key; did you mean maxTokens? "
        "Known keys: agentId, departmentId, maxTokens, query."
    )


def test_a_missing_required_argument_is_named(cast: Cast, door: Door, helper: Agent) -> None:
    assert door.call(cast.ben.key, "agent_call", {"agentId": "helper"}).sentence == "agent_call: message is required."


@pytest.mark.parametrize("given", [True, "true"])
def test_only_true_rehearses(cast: Cast, door: Door, helper: Agent, given: object) -> None:
    answer = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "name": "New", "dry_run": given})

    assert answer.value == {
        "dryRun": True,
        "would": {
            "action": "update",
            "target": {"type": "agent", "id": "helper"},
            "changes": {"name": {"from": "Helper", "to": "New"}},
        },
    }
    helper.refresh_from_db()
    assert helper.name == "Helper"


@pytest.mark.parametrize("given", [False, "false", None])
def test_false_and_nothing_write(cast: Cast, door: Door, helper: Agent, given: object) -> None:
    answer = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "name": "New", "dry_run": given})

    assert answer.result["isError"] is False
    helper.refresh_from_db()
    assert helper.name == "New"


@pytest.mark.parametrize("given", ["True", "0", "1", 1, 0, "", "yes", [], {}])
def test_an_unclear_dry_run_is_refused_and_writes_nothing(cast: Cast, door: Door, helper: Agent, given: object) -> None:
    answer = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "name": "New", "dry_run": given})

    assert answer.sentence == "agent_update: dry_run must be true or false."
    helper.refresh_from_db()
    assert helper.name == "Helper"


def test_a_list_may_come_as_json_in_a_text(cast: Cast, door: Door, helper: Agent) -> None:
    answer = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "tags": '["billing", "😀"]'})

    assert answer.result["isError"] is False
    helper.refresh_from_db()
    assert helper.tags == ["billing", "😀"]


def test_text_with_a_nul_is_refused_and_text_of_any_language_kept(cast: Cast, door: Door, helper: Agent) -> None:
    refused = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "description": "a\x00b"})
    kept = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "description": "مرحبا 👋 Größe"})

    assert refused.status == 400
    assert refused.error["code"] == -32700
    assert kept.result["isError"] is False
    helper.refresh_from_db()
    assert helper.description == "مرحبا 👋 Größe"


@pytest.mark.parametrize("given", ['{"query": "help"}', {"query": "help"}])
def test_execute_tool_takes_its_input_as_an_object_or_its_text(
    cast: Cast, door: Door, helper: Agent, given: object
) -> None:
    key = cast.ben.issue(["execute_tool", "agent_list"])

    answer = door.call(key, "execute_tool", {"name": "agent_list", "input": given})

    assert [agent["id"] for agent in answer.value["agents"]] == ["helper"]


def test_execute_tool_takes_no_input_as_none(cast: Cast, door: Door, helper: Agent) -> None:
    key = cast.ben.issue(["execute_tool", "agent_list"])

    answer = door.call(key, "execute_tool", {"name": "agent_list", "input": None})

    assert [agent["id"] for agent in answer.value["agents"]] == ["helper"]


@pytest.mark.parametrize("given", [[], "[1]", "{", "", 1])
def test_execute_tool_refuses_any_other_input(cast: Cast, door: Door, given: object) -> None:
    key = cast.ben.issue(["execute_tool", "agent_list"])

    answer = door.call(key, "execute_tool", {"name": "agent_list", "input": given})

    assert answer.sentence == "execute_tool: input must be null or an object."
