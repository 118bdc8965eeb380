"""The body: what is JSON, what is a message, and which id comes back."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cast import Cast
from tests.gateway.clients import Answer, Door
from tests.gateway.protocol.wire import legacy_headers, message, modern, modern_headers, send

MIB = 1024 * 1024


def told(answer: Answer) -> tuple[int, int, Any]:
    """Status, code and id of an error."""
    return answer.status, answer.error["code"], answer.body["id"]


@pytest.mark.parametrize("params", ["text", [], [1], None, 4, False])
def test_params_that_are_no_object_are_malformed(cast: Cast, door: Door, params: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": params}

    assert told(send(door, body, legacy_headers(cast.ben.key))) == (400, -32602, 7)
    assert told(send(door, body, modern_headers(cast.ben.key, "tools/list"))) == (400, -32602, 7)


def test_params_may_be_missing(cast: Cast, door: Door) -> None:
    answer = send(door, {"jsonrpc": "2.0", "id": 7, "method": "ping"}, legacy_headers(cast.ben.key))

    assert (answer.status, answer.body) == (200, {"jsonrpc": "2.0", "id": 7, "result": {}})


@pytest.mark.parametrize("request_id", [0, "", -1, "ü🙂", 2**53 + 1])
def test_every_id_is_echoed_as_it_came(cast: Cast, door: Door, request_id: Any) -> None:
    found = send(door, message("ping", request_id=request_id), legacy_headers(cast.ben.key))
    refused = send(door, message("nothing", request_id=request_id), legacy_headers(cast.ben.key))

    assert found.body["id"] == refused.body["id"] == request_id
    assert type(found.body["id"]) is type(request_id)


@pytest.mark.parametrize("request_id", [None, True, 1.5, [], {}])
def test_what_is_no_id_is_refused(cast: Cast, door: Door, request_id: Any) -> None:
    answer = send(door, message("ping", request_id=request_id), legacy_headers(cast.ben.key))

    assert told(answer) == (400, -32600, None)


def test_a_message_without_an_id_is_only_accepted(cast: Cast, door: Door) -> None:
    body = {"jsonrpc": "2.0", "method": "tools/list"}

    answer = send(door, body, legacy_headers(cast.ben.key))

    assert (answer.status, answer.body) == (202, None)


@pytest.mark.parametrize(
    "body",
    [
        [],
        [{"jsonrpc": "2.0", "id": 7, "method": "ping"}],
        "ping",
        None,
        {},
        {"jsonrpc": "1.0", "id": 7, "method": "ping"},
        {"id": 7, "method": "ping"},
        {"jsonrpc": "2.0", "result": {}},
    ],
)
def test_what_is_no_message_is_refused(cast: Cast, door: Door, body: Any) -> None:
    answer = send(door, json.dumps(body).encode(), legacy_headers(cast.ben.key))

    assert (answer.status, answer.error["code"]) == (400, -32600)


@pytest.mark.parametrize("method", [None, 4, ["ping"], {}])
def test_a_method_is_a_string(cast: Cast, door: Door, method: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 7, "method": method}

    assert told(send(door, body, legacy_headers(cast.ben.key))) == (400, -32600, 7)


def in_ping(value: bytes) -> bytes:
    """A request that holds this text of a value."""
    return b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"value":' + value + b"}}"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"ping",
        b'{"jsonrpc"',
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        in_ping(b"NaN"),
        in_ping(b"-Infinity"),
        in_ping(b'{"a":1,"a":2}'),
        in_ping(b'{"a":1,"\\u0061":2}'),
        in_ping(b'"\\u0000"'),
        in_ping(b'"\\ud800"'),
        in_ping(b'"\xed\xa0\x80"'),
        in_ping(b"1") + b"{}",
    ],
)
def test_what_is_no_json_is_refused(cast: Cast, door: Door, body: bytes) -> None:
    assert told(send(door, body, legacy_headers(cast.ben.key))) == (400, -32700, None)


def test_a_surrogate_pair_is_one_character(cast: Cast, door: Door) -> None:
    assert send(door, in_ping(b'"\\ud83d\\ude42"'), legacy_headers(cast.ben.key)).status == 200


@pytest.mark.parametrize("body", [b"[" * 100_000, in_ping(b"[" * 100 + b"]" * 100), b'{"a":' * 50_000])
def test_what_is_too_deep_is_refused(cast: Cast, door: Door, body: bytes) -> None:
    assert told(send(door, body, legacy_headers(cast.ben.key))) == (413, -31413, None)


@pytest.mark.parametrize(("size", "status"), [(MIB, 200), (MIB + 1, 413)])
def test_a_string_may_be_a_mebibyte_long(cast: Cast, door: Door, size: int, status: int) -> None:
    assert send(door, in_ping(b'"' + b"x" * size + b'"'), legacy_headers(cast.ben.key)).status == status


def in_pieces(body: bytes) -> Iterator[bytes]:
    """The body without its length said before."""
    for start in range(0, len(body), 65_536):
        yield body[start : start + 65_536]


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_over_four_mebibytes_is_refused(cast: Cast, door: Door, announced: bool) -> None:
    body = in_ping(b"[" + b",".join([b'"' + b"x" * MIB + b'"'] * 4) + b"]")

    answer = send(door, body if announced else in_pieces(body), legacy_headers(cast.ben.key))

    assert told(answer) == (413, -31413, None)
    assert answer.error["message"] == "The body may be 4194304 bytes long at most"


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_of_four_mebibytes_is_read(cast: Cast, door: Door, announced: bool) -> None:
    body = in_ping(b"1")
    body = body + b" " * (4 * MIB - len(body))

    assert send(door, body if announced else in_pieces(body), legacy_headers(cast.ben.key)).status == 200


@pytest.mark.parametrize("text", ["🙂👩‍👩‍👧", "שלום עולם", "مرحبا", "e\u0301", "\u202eabc"])
def test_text_comes_back_unchanged(cast: Cast, door: Door, text: str) -> None:
    body = modern("tools/call", {"name": "agent_list", "arguments": {text: 1}})

    answer = send(door, body, modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": "agent_list"}))

    assert answer.status == 200
    assert text in json.loads(answer.result["content"][0]["text"])["error"]
