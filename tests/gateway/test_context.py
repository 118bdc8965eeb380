"""get_context: the operating manual within a budget, for those who may see what it is asked for."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from agents.models import Agent
from gateway import context
from gateway.context import Entry, Wanted
from identity.principal import Principal
from tests.agents.http import get
from tests.cast import Cast
from tests.gateway.clients import Door

EMPTY = "The operating manual has no entries that you may read."


@pytest.fixture
def entries() -> Iterator[list[Entry]]:
    """Entries that a source gives to everybody."""
    given: list[Entry] = []

    def source(principal: Principal, wanted: Wanted) -> list[Entry]:
        return given

    context.register(source)
    yield given
    context.unregister(source)


def entry(number: int, importance: int, scope: str = "tenant", words: int = 20) -> Entry:
    return Entry(f"e{number}", "memory", scope, importance, f"Title {number}", "word " * words)


def test_an_empty_manual_says_so(cast: Cast, door: Door) -> None:
    answer = door.call(cast.ben.key, "get_context")

    assert answer.result["content"] == [{"type": "text", "text": EMPTY}]
    assert answer.result["structuredContent"] == {
        "context": EMPTY, "tokens": 14, "tokenizer": "utf8-bytes/4", "entries": [], "omitted": 0,
    }  # fmt: skip


def test_the_most_important_entries_come_within_the_budget(cast: Cast, entries: list[Entry]) -> None:
    entries += [entry(number, importance=1 + number % 10) for number in range(40)]

    block = context.context_block(cast.ben.principal, Wanted(), 300)

    kept = [shown["importance"] for shown in block["entries"]]
    assert kept == sorted((1 + number % 10 for number in range(40)), reverse=True)[: len(kept)]
    assert 200 < block["tokens"] <= 300
    assert block["tokens"] == -(-len(block["context"].encode()) // 4)
    assert block["omitted"] == 40 - len(kept)
    assert block["context"].endswith(f"{block['omitted']} more entries did not fit; ask with a larger maxTokens.")


def test_the_block_is_grouped_by_scope(cast: Cast, entries: list[Entry]) -> None:
    entries += [entry(1, 9, "personal"), entry(2, 5, "tenant"), entry(3, 7, "department"), entry(4, 8, "agent")]

    block = context.context_block(cast.ben.principal, Wanted(), 2000)

    headings = [line for line in block["context"].splitlines() if line.startswith("#")]
    assert headings == [
        "# Organisation", "## Title 2", "# Department", "## Title 3",
        "# Agent", "## Title 4", "# Personal", "## Title 1",
    ]  # fmt: skip
    assert [shown["id"] for shown in block["entries"]] == ["e1", "e4", "e3", "e2"]


def test_over_http_the_same_block(cast: Cast) -> None:
    answer = get(cast.ben, "/context?maxTokens=500")

    assert answer.status == 200
    assert answer.body["context"] == EMPTY


@pytest.mark.parametrize("budget", ["199", "16001", "0", "many"])
def test_over_http_a_budget_outside_its_limits_is_refused(cast: Cast, budget: str) -> None:
    answer = get(cast.ben, f"/context?maxTokens={budget}")

    assert answer.status == 400
    assert [issue["field"] for issue in answer.body["issues"]] == ["maxTokens"]


def test_a_visible_agent_and_department_are_found(cast: Cast, door: Door, helper: Agent) -> None:
    arguments = {"agentId": "helper", "departmentId": str(cast.sales.id)}

    assert door.call(cast.ben.key, "get_context", arguments).result["isError"] is False


@pytest.mark.parametrize("agent_id", ["helper", "nobody"])
def test_a_foreign_agent_is_missing_like_any_other(cast: Cast, helper: Agent, agent_id: str) -> None:
    answer: Any = get(cast.zoe, f"/context?agentId={agent_id}")

    assert answer == (404, {"error": f"Agent with id {agent_id} not found"})


def test_a_foreign_department_is_missing_like_any_other(cast: Cast, door: Door) -> None:
    nothing = str(uuid4())

    foreign = door.call(cast.zoe.key, "get_context", {"departmentId": str(cast.sales.id)}).sentence
    missing = door.call(cast.zoe.key, "get_context", {"departmentId": nothing}).sentence

    assert foreign.replace(str(cast.sales.id), nothing) == missing == f"Department with id {nothing} not found"
