"""One address in two spellings, and nothing else."""

import pytest

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import legacy_headers, message, opened, send


def test_a_slash_at_the_end_changes_nothing(cast: Cast, door: Door) -> None:
    body, headers = message("tools/list"), legacy_headers(cast.ben.key)

    plain, slashed = send(door, body, headers), send(door, body, headers, path="/api/mcp/")

    assert (plain.status, plain.body) == (slashed.status, slashed.body)
    assert plain.status == 200


def test_a_session_of_one_form_works_on_the_other(cast: Cast, door: Door) -> None:
    headers = legacy_headers(cast.ben.key, {"Mcp-Session-Id": opened(door, cast.ben.key)})

    assert send(door, message("ping"), headers, path="/api/mcp/").status == 200


@pytest.mark.parametrize("path", ["/api/mcp//", "/api/mcp/x", "/api/mcpx", "/API/MCP", "/mcp"])
def test_other_paths_are_not_this_endpoint(cast: Cast, door: Door, path: str) -> None:
    answer = send(door, b"{}", legacy_headers(cast.ben.key, {"Accept": "application/json"}), path=path)

    assert answer.status == 404
