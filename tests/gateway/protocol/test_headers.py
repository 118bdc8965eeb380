"""Headers: content type, Accept, and those that repeat what the body says."""

import base64
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import Headers, legacy_headers, message, modern, modern_headers, send

CALL: dict[str, Any] = {"name": "whoami", "arguments": {}}


def wrapped(text: str) -> str:
    """As a header carries what is not plain."""
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize("kind", [None, "text/plain", "application/jsonp", "multipart/form-data", "json"])
def test_another_content_type_is_not_read(cast: Cast, door: Door, kind: str | None) -> None:
    answer = send(
        door, b'{"jsonrpc":"2.0","id":7,"method":"ping"}', legacy_headers(cast.ben.key, {"Content-Type": kind})
    )

    assert (answer.status, answer.error["code"]) == (415, -32600)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_is_json_however_it_is_written(cast: Cast, door: Door, kind: str) -> None:
    assert send(door, message("ping"), legacy_headers(cast.ben.key, {"Content-Type": kind})).status == 200


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream", "text/html", ""])
def test_a_client_must_read_both_kinds_of_answer(cast: Cast, door: Door, accept: str) -> None:
    answer = send(door, message("ping"), legacy_headers(cast.ben.key, {"Accept": accept}))

    assert (answer.status, answer.error["code"]) == (406, -32600)


@pytest.mark.parametrize("accept", ["*/*", "text/event-stream;q=0.5,application/json", "application/*, text/*"])
def test_both_kinds_may_be_said_in_several_ways(cast: Cast, door: Door, accept: str) -> None:
    assert send(door, message("ping"), legacy_headers(cast.ben.key, {"Accept": accept})).status == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"Mcp-Method": None},
        {"Mcp-Method": "tools/list"},
        {"Mcp-Method": "TOOLS/CALL"},
        {"Mcp-Method": wrapped("tools/call")},
        {"Mcp-Name": None},
        {"Mcp-Name": "agent_list"},
        {"Mcp-Name": "WhoAmI"},
        {"Mcp-Name": "=?base64?d2hvYW1p"},
        {"Mcp-Name": "=?base64?d2hvYW1pIQ?="},
        {"Mcp-Name": "=?base64?d2hv*W1p?="},
        {"Mcp-Name": "=?base64?/w==?="},
        {"MCP-Protocol-Version": None},
        {"MCP-Protocol-Version": "2025-11-25"},
        {"MCP-Protocol-Version": "2099-01-01"},
    ],
)
def test_a_header_that_differs_from_the_body_is_refused(cast: Cast, door: Door, changes: Headers) -> None:
    headers = modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": "whoami", **changes})

    answer = send(door, modern("tools/call", CALL), headers)

    assert (answer.status, answer.error["code"], answer.body["id"]) == (400, -32020, 7)


@pytest.mark.parametrize("name", ["whoami", wrapped("whoami")])
def test_a_name_may_be_wrapped(cast: Cast, door: Door, name: str) -> None:
    answer = send(door, modern("tools/call", CALL), modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": name}))

    assert (answer.status, answer.result.get("isError", False)) == (200, False)


def test_a_wrapped_name_is_compared_as_text(cast: Cast, door: Door) -> None:
    name = "größe 🙂"
    headers = modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": wrapped(name)})

    answer = send(door, modern("tools/call", {"name": name}), headers)

    assert answer.error["code"] == -32602, "an unknown tool, and no difference between header and body"


def raw(door: Door, body: bytes, *lines: str) -> bytes:
    """The first line of the answer to a request written by hand."""
    parts = urlsplit(door.base)
    head = ["POST /api/mcp HTTP/1.1", f"Host: {parts.netloc}", f"Content-Length: {len(body)}", "Connection: close"]
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10) as line:
        line.sendall("\r\n".join([*head, *lines, "", ""]).encode() + body)
        return line.recv(65_536).partition(b"\r\n")[0]


LIST = b"""{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{
"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"""


def lines(key: str, method: str = "Mcp-Method: tools/list") -> tuple[str, ...]:
    """The headers of a list."""
    return (
        "Accept: application/json, text/event-stream",
        "Content-Type: application/json",
        f"Authorization: Bearer {key}",
        "MCP-Protocol-Version: 2026-07-28",
        method,
    )


@pytest.mark.parametrize("written", ["tools/list", "  tools/list  ", "tools/list \t", "\ttools/list"])
def test_blanks_around_a_value_do_not_count(cast: Cast, door: Door, written: str) -> None:
    assert raw(door, LIST, *lines(cast.ben.key, f"mcp-METHOD:{written}")) == b"HTTP/1.1 200 OK"


def test_a_header_that_comes_twice_is_refused(cast: Cast, door: Door) -> None:
    assert raw(door, LIST, *lines(cast.ben.key), "mcp-method: tools/list") == b"HTTP/1.1 400 Bad Request"
