"""A session belongs to the caller that opened it, and is a token that cannot be made up."""

import string

import pytest

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import LEGACY, message, old, opened

GONE = {"code": -32600, "message": "This session does not exist any more; initialize a new one"}


def test_a_token_is_plain_text_and_never_the_same(cast: Cast, door: Door) -> None:
    first, second = opened(door, cast.ben.key), opened(door, cast.ben.key)

    assert first != second
    assert set(first) <= set(string.ascii_letters + string.digits + string.punctuation)


def test_a_session_is_used_by_its_caller(cast: Cast, door: Door) -> None:
    session = opened(door, cast.ben.key)

    answer = old(door, cast.ben.key, "tools/call", {"name": "whoami"}, session=session)

    assert answer.value["role"] == "member"


@pytest.mark.parametrize("stranger", ["ana", "zoe"])
def test_another_caller_does_not_find_it(cast: Cast, door: Door, stranger: str) -> None:
    session = opened(door, cast.ben.key)

    answer = old(door, cast.people[stranger].key, "ping", session=session)

    assert (answer.status, answer.error) == (404, GONE)


def test_another_key_of_the_same_person_does_not_find_it(cast: Cast, door: Door) -> None:
    session = opened(door, cast.ben.key)

    assert old(door, cast.ben.issue(["*"]), "ping", session=session).status == 404


@pytest.mark.parametrize("spoilt", ["", "x", "a:b:c", "{}:1", "~"])
def test_a_made_up_token_is_not_found(cast: Cast, door: Door, spoilt: str) -> None:
    answer = old(door, cast.ben.key, "ping", session=spoilt)

    assert (answer.status, answer.error) == (404, GONE)


@pytest.mark.parametrize("place", [0, 10, -1])
def test_a_changed_token_is_not_found(cast: Cast, door: Door, place: int) -> None:
    session = list(opened(door, cast.ben.key))
    session[place] = "B" if session[place] == "A" else "A"

    assert old(door, cast.ben.key, "ping", session="".join(session)).status == 404


def test_a_request_needs_no_session(cast: Cast, door: Door) -> None:
    assert old(door, cast.ben.key, "tools/call", {"name": "whoami"}).status == 200


def test_initialized_is_accepted(cast: Cast, door: Door) -> None:
    session = opened(door, cast.ben.key)

    assert old(door, cast.ben.key, "notifications/initialized", session=session).status in (200, 202)


def test_capabilities_too_large_for_a_header_are_refused(cast: Cast, door: Door) -> None:
    noise = {f"x{number}": {"y": number * 7919 % 10_007} for number in range(2000)}
    params = {"protocolVersion": LEGACY, "capabilities": {"experimental": noise}}

    answer = old(door, cast.ben.key, "initialize", params)

    assert (answer.status, answer.error["code"]) == (200, -32602)
    assert answer.body["id"] == message("initialize")["id"]
