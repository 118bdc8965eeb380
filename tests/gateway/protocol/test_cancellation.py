"""How a client takes a call back: by leaving, or by saying so; and what does not count as either."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from agents.models import Agent
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import legacy_headers, message, modern, modern_headers, old, opened, send
from tests.inference.conftest import models
from tests.models_server import ModelsServer

__all__ = ["models"]

CALL: dict[str, Any] = {"name": "agent_call", "arguments": {"agentId": "helper", "message": "hi"}}


@pytest.fixture(autouse=True)
def slow(helper: Agent, models: ModelsServer) -> None:
    """The agent's model never answers."""
    Agent.objects.filter(pk=helper.pk).update(model="openai/silent")


@pytest.fixture
def aside() -> Iterator[ThreadPoolExecutor]:
    """Where a call waits while the test goes on."""
    with ThreadPoolExecutor(1) as pool:
        yield pool


def leave_early(door: Door, body: Any, headers: dict[str, str], models: ModelsServer) -> None:
    """Send the call, and close the connection when the model is at work."""
    http = httpx2.Client(trust_env=False, timeout=1.0)
    with http, pytest.raises(httpx2.ReadTimeout):
        http.post(door.url, json=body, headers=headers)
    assert models.working.is_set()


def test_a_stateless_client_that_leaves_stops_the_work(cast: Cast, door: Door, models: ModelsServer) -> None:
    headers = modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": "agent_call"})

    leave_early(door, modern("tools/call", CALL), headers, models)

    assert models.abandoned.wait(5)


def test_the_place_of_a_client_that_left_is_free_again(cast: Cast, door: Door, models: ModelsServer) -> None:
    key = cast.ben.issue(["*"], concurrent_calls=1)
    headers = modern_headers(key, "tools/call", {"Mcp-Name": "agent_call"})
    leave_early(door, modern("tools/call", CALL), headers, models)
    assert models.abandoned.wait(5)

    assert door.call(key, "whoami").status == 200


def test_an_older_client_that_leaves_stops_nothing(cast: Cast, door: Door, models: ModelsServer) -> None:
    session = opened(door, cast.ben.key)
    headers = legacy_headers(cast.ben.key, {"Mcp-Session-Id": session})

    leave_early(door, message("tools/call", CALL), headers, models)

    assert not models.abandoned.wait(1)
    cancel(door, cast.ben.key, session, 7)
    assert models.abandoned.wait(5)


def cancel(door: Door, key: str, session: str | None, request_id: Any) -> None:
    """Take a request back."""
    body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id, "reason": "x"}}
    assert send(door, body, legacy_headers(key, {"Mcp-Session-Id": session})).status == 202


@pytest.mark.parametrize("request_id", [0, "", 7, "a"])
def test_an_older_client_takes_a_call_back(
    cast: Cast, door: Door, models: ModelsServer, aside: ThreadPoolExecutor, request_id: Any
) -> None:
    key, session = cast.ben.key, opened(door, cast.ben.key)
    waiting = aside.submit(old, door, key, "tools/call", CALL, session=session, request_id=request_id)
    assert models.working.wait(10)

    cancel(door, key, session, request_id)

    answer = waiting.result(10)
    assert (answer.status, answer.body) == (202, None)
    assert models.abandoned.wait(5)


def test_only_the_session_itself_takes_a_call_back(
    cast: Cast, door: Door, models: ModelsServer, aside: ThreadPoolExecutor
) -> None:
    key, session = cast.ben.key, opened(door, cast.ben.key)
    waiting = aside.submit(old, door, key, "tools/call", CALL, session=session)
    assert models.working.wait(10)

    cancel(door, key, opened(door, key), 7)
    cancel(door, cast.ana.key, opened(door, cast.ana.key), 7)
    cancel(door, key, session, "7")
    cancel(door, key, session, 8)
    assert not models.abandoned.wait(1)
    assert not waiting.done()

    cancel(door, key, session, 7)
    assert waiting.result(10).status == 202


@pytest.mark.parametrize("request_id", [None, True, [], {}, 99])
def test_taking_back_what_is_not_there_is_accepted(cast: Cast, door: Door, request_id: Any) -> None:
    cancel(door, cast.ben.key, opened(door, cast.ben.key), request_id)
