"""Two server processes with the same secrets: a session, a cursor and a cancellation belong to neither."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agents.models import Agent
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import legacy_headers, old, opened, send
from tests.gateway.servers import atrium
from tests.inference.conftest import models
from tests.models_server import ModelsServer

__all__ = ["models"]


@pytest.fixture(scope="module")
def pair(real_database: None) -> Iterator[tuple[Door, Door]]:
    """Two workers, one of each kind."""
    with atrium("daphne") as first, atrium("uvicorn") as second:
        yield first, second


def test_a_session_works_on_another_worker(cast: Cast, pair: tuple[Door, Door]) -> None:
    first, second = pair
    session = opened(first, cast.ben.key)

    answer = old(second, cast.ben.key, "tools/call", {"name": "whoami"}, session=session)

    assert answer.value["role"] == "member"
    assert old(second, cast.ana.key, "ping", session=session).status == 404


def test_a_session_survives_a_restart(cast: Cast) -> None:
    with atrium("uvicorn") as before:
        session = opened(before, cast.ben.key)

    with atrium("uvicorn") as after:
        assert old(after, cast.ben.key, "tools/call", {"name": "whoami"}, session=session).value["role"] == "member"


def test_a_session_of_other_secrets_is_not_found(cast: Cast, pair: tuple[Door, Door]) -> None:
    with atrium("uvicorn", SECRET_KEY="o" * 50) as stranger:
        session = opened(stranger, cast.ben.key)

    assert old(pair[0], cast.ben.key, "ping", session=session).status == 404


def test_a_session_that_was_ended_is_over_on_a_worker_that_never_saw_it(cast: Cast, pair: tuple[Door, Door]) -> None:
    first, second = pair
    session = opened(first, cast.ben.key)

    ended = send(first, None, legacy_headers(cast.ben.key, {"Mcp-Session-Id": session}), verb="DELETE")

    assert ended.status == 204
    assert old(second, cast.ben.key, "ping", session=session).status == 404


@pytest.mark.parametrize("early", [True, False])
def test_a_call_is_taken_back_through_another_worker(
    cast: Cast, pair: tuple[Door, Door], helper: Agent, models: ModelsServer, early: bool
) -> None:
    Agent.objects.filter(pk=helper.pk).update(model="openai/silent")
    first, second = pair
    key, session = cast.ben.key, opened(first, cast.ben.key)
    call: dict[str, Any] = {"name": "agent_call", "arguments": {"agentId": "helper", "message": "hi"}}
    body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}

    with ThreadPoolExecutor(1) as aside:
        waiting = aside.submit(old, first, key, "tools/call", call, session=session)
        assert models.working.wait(10)
        if not early:
            assert not models.abandoned.wait(1)
        assert send(second, body, legacy_headers(key, {"Mcp-Session-Id": session})).status == 202
        answer = waiting.result(20)

    assert (answer.status, answer.body) == (202, None)
    assert models.abandoned.wait(5)
