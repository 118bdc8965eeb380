"""Long listings come in pages whose cursors belong to one caller."""

from collections.abc import Iterator
from typing import Any

import pytest

from gateway import surface
from ground.invalidation import announce
from tests.cast import Cast
from tests.gateway.clients import Door

NAMES = [
    "whoami", "get_context", "agent_list", "agent_get", "agent_call", "workflow_list", "workflow_get", "workflow_start",
    "workflow_run_get", "workflow_run_resume", "workflow_run_cancel", "tool_calculator", "tool_current_time",
    "tool_http_fetch", "department_list",
]  # fmt: skip


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surface, "PAGE", 4)


def pages(door: Door, key: str) -> Iterator[dict[str, Any]]:
    page = door.ask(key, "tools/list").result
    yield page
    while "nextCursor" in page:
        page = door.ask(key, "tools/list", {"cursor": page["nextCursor"]}).result
        yield page


def test_pages_follow_each_other_to_the_end(cast: Cast, door: Door) -> None:
    found = [[tool["name"] for tool in page["tools"]] for page in pages(door, cast.ben.key)]

    assert found == [NAMES[:4], NAMES[4:8], NAMES[8:12], NAMES[12:]]


def test_every_page_says_the_same_of_its_freshness(cast: Cast, door: Door) -> None:
    said = {(page["ttlMs"], page["cacheScope"], page["resultType"]) for page in pages(door, cast.ben.key)}

    assert said == {(60_000, "private", "complete")}


@pytest.mark.parametrize("cursor", ["", "nonsense", "bnVsbA:1abcde:xyz", None, 4])
def test_a_cursor_that_we_did_not_give_is_refused(cast: Cast, door: Door, cursor: Any) -> None:
    assert door.ask(cast.ben.key, "tools/list", {"cursor": cursor}).error["code"] == -32602


def test_a_cursor_of_another_caller_is_refused(cast: Cast, door: Door) -> None:
    cursor = door.ask(cast.ben.key, "tools/list").result["nextCursor"]

    assert door.ask(cast.ana.key, "tools/list", {"cursor": cursor}).error["code"] == -32602


def test_a_list_that_became_shorter_ends_well(cast: Cast, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    cursor = door.ask(cast.ben.key, "tools/list").result["nextCursor"]
    monkeypatch.setattr(surface, "PAGE", 1000)
    announce("surface", cast.tenant.id)

    last = door.ask(cast.ben.key, "tools/list", {"cursor": cursor}).result

    assert "nextCursor" not in last
    assert [tool["name"] for tool in last["tools"]] == NAMES
