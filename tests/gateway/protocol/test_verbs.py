"""POST calls, DELETE ends a session, everything else is refused."""

import pytest

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import legacy_headers, old, opened, send


@pytest.mark.parametrize("verb", ["GET", "PUT", "PATCH", "HEAD"])
def test_other_verbs_are_refused_and_told_which_there_are(cast: Cast, door: Door, verb: str) -> None:
    answer = send(door, None, legacy_headers(cast.ben.key, {"Accept": "text/event-stream"}), verb=verb)

    assert (answer.status, answer.body) == (405, None)
    assert answer.headers["allow"] == "POST, DELETE, OPTIONS"


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
def test_the_stateless_generation_only_posts(cast: Cast, door: Door, verb: str) -> None:
    headers = legacy_headers(cast.ben.key, {"MCP-Protocol-Version": "2026-07-28"})

    answer = send(door, None, headers, verb=verb)

    assert (answer.status, answer.headers["allow"]) == (405, "POST")


def test_delete_ends_a_session(cast: Cast, door: Door) -> None:
    session = opened(door, cast.ben.key)
    headers = legacy_headers(cast.ben.key, {"Mcp-Session-Id": session})
    assert old(door, cast.ben.key, "ping", session=session).status == 200

    assert send(door, None, headers, verb="DELETE").status == 204

    assert old(door, cast.ben.key, "ping", session=session).status == 404
    assert send(door, None, headers, verb="DELETE").status == 404


def test_delete_names_a_session(cast: Cast, door: Door) -> None:
    assert send(door, None, legacy_headers(cast.ben.key), verb="DELETE").status == 400


def test_a_session_is_not_ended_by_another_caller(cast: Cast, door: Door) -> None:
    session = opened(door, cast.ben.key)

    foreign = send(door, None, legacy_headers(cast.ana.key, {"Mcp-Session-Id": session}), verb="DELETE")

    assert foreign.status == 404
    assert old(door, cast.ben.key, "ping", session=session).status == 200


def test_delete_needs_a_credential(cast: Cast, door: Door) -> None:
    session = opened(door, cast.ben.key)

    assert send(door, None, legacy_headers(None, {"Mcp-Session-Id": session}), verb="DELETE").status == 401
