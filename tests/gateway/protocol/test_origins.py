"""Which Host the server answers to, and which pages may speak to it."""

import pytest

from gateway.door import endpoint
from gateway.protocol.options import EngineOptions
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import Headers, legacy_headers, message, send


@pytest.fixture(autouse=True)
def behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The installation is also reached as mcp.example.com, and the pages of app.example.com may call it."""
    plain = endpoint.options
    options = EngineOptions(
        plain.path, (*plain.hosts, "mcp.example.com"), plain.origins | {"https://app.example.com"}, plain.body_bytes
    )
    monkeypatch.setattr(endpoint, "options", options)


def status(cast: Cast, door: Door, changes: Headers) -> int:
    """Of a ping."""
    return send(door, message("ping"), legacy_headers(cast.ben.key, changes)).status


@pytest.mark.parametrize("host", ["mcp.example.com", "MCP.example.com:443", "localhost:1", "[::1]:80"])
def test_a_host_of_ours_is_answered(cast: Cast, door: Door, host: str) -> None:
    assert status(cast, door, {"Host": host}) == 200


@pytest.mark.parametrize("host", ["evil.example", "mcp.example.com.evil.example", "[::1", "a b", "169.254.169.254"])
def test_a_foreign_host_is_refused(cast: Cast, door: Door, host: str) -> None:
    assert status(cast, door, {"Host": host}) == 421


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "https://app.example.com.evil.example",
        "https://app.example.com/",
        "http://app.example.com",
        "http://[::1",
        "https://",
        "file://",
        "chrome-extension://mcp.example.com",
    ],
)
def test_a_foreign_page_is_refused(cast: Cast, door: Door, origin: str) -> None:
    answer = send(door, message("ping"), legacy_headers(cast.ben.key, {"Host": "mcp.example.com", "Origin": origin}))

    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", [None, "https://mcp.example.com", "https://app.example.com"])
def test_a_page_of_ours_and_no_page_are_answered(cast: Cast, door: Door, origin: str | None) -> None:
    assert status(cast, door, {"Host": "mcp.example.com", "Origin": origin}) == 200


def test_a_cookie_of_staff_beside_a_key_changes_nothing(cast: Cast, door: Door) -> None:
    cookies: Headers = {"Cookie": "sessionid=abc; csrftoken=def", "Origin": "https://mcp.example.com"}

    assert status(cast, door, {"Host": "mcp.example.com", **cookies}) == 200
