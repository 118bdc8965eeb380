"""What a browser asks before it lets a page call, and what it needs to hand over an answer."""

import pytest

from tests.cast import Cast
from tests.gateway.clients import Answer, Door
from tests.gateway.protocol.wire import Headers, legacy_headers, message, send


def preflight(door: Door, changes: Headers | None = None, path: str = "/api/mcp") -> Answer:
    """OPTIONS without a credential."""
    asked: Headers = {
        "Origin": door.base,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,mcp-param-region",
        "Accept": None,
        "Content-Type": None,
        **(changes or {}),
    }
    return send(door, None, legacy_headers(None, asked), verb="OPTIONS", path=path)


def listed(answer: Answer, header: str) -> set[str]:
    """The words of a header, in lower case."""
    return {word.strip().lower() for word in answer.headers[header].split(",")}


@pytest.mark.parametrize("path", ["/api/mcp", "/api/mcp/"])
def test_a_browser_may_ask_without_a_credential(door: Door, path: str) -> None:
    answer = preflight(door, path=path)

    assert (answer.status, answer.body) == (204, None)
    assert answer.headers["access-control-allow-origin"] == door.base
    assert listed(answer, "access-control-allow-methods") == {"post", "delete", "options"}
    assert "origin" in listed(answer, "vary")
    assert {
        "authorization", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id",
        "mcp-param-region",
    } <= listed(answer, "access-control-allow-headers")  # fmt: skip
    assert {"mcp-session-id", "www-authenticate", "retry-after"} <= listed(answer, "access-control-expose-headers")


def test_only_parameters_are_allowed_beyond_the_fixed_names(door: Door) -> None:
    wanted = "cookie, x-evil, mcp-param-ok, mcp-param-bad<script>"

    allowed = listed(preflight(door, {"Access-Control-Request-Headers": wanted}), "access-control-allow-headers")

    assert "mcp-param-ok" in allowed
    assert {"cookie", "x-evil", "mcp-param-bad<script>"}.isdisjoint(allowed)


def test_a_foreign_page_is_refused_before_it_calls(door: Door) -> None:
    answer = preflight(door, {"Origin": "https://evil.example"})

    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers


def test_nobody_is_allowed_to_send_cookies(door: Door) -> None:
    assert "access-control-allow-credentials" not in preflight(door).headers


@pytest.mark.parametrize("key", [None, "wrong"])
def test_a_page_may_read_why_it_was_refused(door: Door, key: str | None) -> None:
    answer = send(door, message("ping"), legacy_headers(key, {"Origin": door.base}))

    assert answer.status == 401
    assert answer.headers["access-control-allow-origin"] == door.base
    assert "www-authenticate" in listed(answer, "access-control-expose-headers")
    assert "www-authenticate" in answer.headers


@pytest.mark.parametrize("changes", [{"Content-Type": "text/plain"}, {"Accept": "text/html"}, {}])
def test_a_page_may_read_every_other_answer(cast: Cast, door: Door, changes: Headers) -> None:
    answer = send(door, b"no json", legacy_headers(cast.ben.key, {"Origin": door.base, **changes}))

    assert answer.status in (400, 406, 415)
    assert answer.headers["access-control-allow-origin"] == door.base
