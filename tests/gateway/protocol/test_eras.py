"""Which generation a request belongs to: the body decides first, then the headers."""

from typing import Any

import pytest

from tests.cast import Cast
from tests.gateway.clients import META, Door
from tests.gateway.protocol.wire import LEGACY, legacy_headers, message, modern, modern_headers, old, send

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SUPPORTED = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]


def test_a_stateless_body_without_its_header_is_a_mismatch(cast: Cast, door: Door) -> None:
    answer = send(door, modern("tools/list"), legacy_headers(cast.ben.key))

    assert (answer.status, answer.error["code"]) == (400, -32020)


def test_a_stateless_body_beside_a_session_is_stateless(cast: Cast, door: Door) -> None:
    headers = modern_headers(cast.ben.key, "tools/list", {"Mcp-Session-Id": "anything"})

    answer = send(door, modern("tools/list"), headers)

    assert (answer.status, answer.result["resultType"]) == (200, "complete")
    assert "mcp-session-id" not in answer.headers


def test_an_older_request_gets_nothing_of_the_newer_generation(cast: Cast, door: Door) -> None:
    answer = old(door, cast.ben.key, "tools/list")

    assert answer.status == 200
    assert {"resultType", "ttlMs", "cacheScope", "_meta"}.isdisjoint(answer.result)


def test_an_unknown_version_is_told_which_there_are(cast: Cast, door: Door) -> None:
    headers = modern_headers(cast.ben.key, "tools/list", {"MCP-Protocol-Version": "2099-01-01"})

    answer = send(door, modern("tools/list", None, **{VERSION: "2099-01-01"}), headers)

    assert (answer.status, answer.error["code"]) == (400, -32022)
    assert answer.error["data"] == {"supported": SUPPORTED, "requested": "2099-01-01"}


@pytest.mark.parametrize("missing", [VERSION, CAPABILITIES])
def test_what_every_stateless_request_must_carry(cast: Cast, door: Door, missing: str) -> None:
    meta = {name: value for name, value in META.items() if name != missing}

    answer = send(door, message("tools/list", {"_meta": meta}), modern_headers(cast.ben.key, "tools/list"))

    assert (answer.status, answer.error["code"]) == (400, -32602)


@pytest.mark.parametrize("meta", [{VERSION: 4}, {CAPABILITIES: []}, {CAPABILITIES: None}])
def test_it_must_be_of_the_right_kind(cast: Cast, door: Door, meta: dict[str, Any]) -> None:
    answer = send(door, modern("tools/list", None, **meta), modern_headers(cast.ben.key, "tools/list"))

    assert (answer.status, answer.error["code"]) == (400, -32602)


def test_an_older_version_that_is_not_spoken_is_refused(cast: Cast, door: Door) -> None:
    answer = send(door, message("ping"), legacy_headers(cast.ben.key, {"MCP-Protocol-Version": "2024-11-05"}))

    assert (answer.status, answer.error["code"]) == (400, -32600)


@pytest.mark.parametrize(
    ("asked", "given"),
    [(LEGACY, LEGACY), ("2025-03-26", "2025-03-26"), ("2024-11-05", LEGACY), ("2026-07-28", LEGACY), ("x", LEGACY)],
)
def test_initialize_agrees_on_a_version(cast: Cast, door: Door, asked: str, given: str) -> None:
    answer = old(door, cast.ben.key, "initialize", {"protocolVersion": asked, "capabilities": {}})

    assert answer.result["protocolVersion"] == given
    assert answer.headers["mcp-session-id"].isascii()


@pytest.mark.parametrize("params", [{}, {"protocolVersion": 4}, {"protocolVersion": LEGACY, "capabilities": []}])
def test_initialize_without_a_version_is_malformed(cast: Cast, door: Door, params: dict[str, Any]) -> None:
    answer = old(door, cast.ben.key, "initialize", params)

    assert (answer.status, answer.error["code"]) == (200, -32602)


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "nothing", "subscriptions/listen"])
def test_a_method_that_is_not_there(cast: Cast, door: Door, method: str) -> None:
    stateless = send(door, modern(method), modern_headers(cast.ben.key, method))

    assert (stateless.status, stateless.error["code"]) == (404, -32601)


def test_an_older_client_reads_an_unknown_method_with_status_200(cast: Cast, door: Door) -> None:
    answer = old(door, cast.ben.key, "server/discover")

    assert (answer.status, answer.error["code"]) == (200, -32601)


def test_discovery_names_versions_and_how_long_it_may_be_kept(cast: Cast, door: Door) -> None:
    result = send(door, modern("server/discover"), modern_headers(cast.ben.key, "server/discover")).result

    assert result["supportedVersions"] == SUPPORTED
    assert result["capabilities"] == {"tools": {}}
    assert (result["ttlMs"], result["cacheScope"]) == (60_000, "private")


def test_a_client_of_this_generation_sends_no_answers(cast: Cast, door: Door) -> None:
    body = {"jsonrpc": "2.0", "id": "x", "result": {}}

    assert send(door, body, modern_headers(cast.ben.key, "none")).status == 400
    assert send(door, body, legacy_headers(cast.ben.key)).status == 202
