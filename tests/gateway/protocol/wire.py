"""Bare requests to a door: every byte and header as the test says."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from tests.gateway.clients import META, Answer, Door

MODERN, LEGACY = "2026-07-28", "2025-11-25"
BOTH = "application/json, text/event-stream"
Headers = dict[str, str | None]


def legacy_headers(key: str | None, changes: Headers | None = None) -> dict[str, str]:
    """What an older client sends; `changes` replace, or leave out where they are None."""
    wanted: Headers = {"Accept": BOTH, "Content-Type": "application/json"}
    if key is not None:
        wanted["Authorization"] = f"Bearer {key}"
    return {name: value for name, value in {**wanted, **(changes or {})}.items() if value is not None}


def modern_headers(key: str, method: str, changes: Headers | None = None) -> dict[str, str]:
    """What a client of the stateless generation sends."""
    return legacy_headers(key, {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **(changes or {})})


def message(method: str, params: Any = None, request_id: Any = 7) -> dict[str, Any]:
    """An older request."""
    said = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return said if params is None else {**said, "params": params}


def modern(method: str, params: dict[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
    """A request of the stateless generation."""
    return message(method, {**(params or {}), "_meta": {**META, **meta}})


def send(door: Door, body: Any, headers: dict[str, str], *, verb: str = "POST", path: str = "/api/mcp") -> Answer:
    """Send bytes as they are, anything else as JSON; the answer's body is None when it is empty."""
    content = body if body is None or isinstance(body, bytes) or hasattr(body, "__next__") else json.dumps(body)
    with httpx2.Client(trust_env=False, timeout=30) as http:
        answer = http.request(verb, door.base + path, content=content, headers=headers)
    text = answer.text
    match answer.headers.get("content-type"):
        case "text/event-stream":
            return Answer(answer.status_code, answer.headers, events(text))
        case "application/json":
            return Answer(answer.status_code, answer.headers, json.loads(text))
    return Answer(answer.status_code, answer.headers, text or None)


def events(text: str) -> list[Any]:
    """The messages of a stream."""
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def old(door: Door, key: str, method: str, params: Any = None, *, session: str | None = None, **more: Any) -> Answer:
    """An older request, in a session or without."""
    headers = legacy_headers(key, {"Mcp-Session-Id": session})
    return send(door, message(method, params, **more), headers)


def opened(door: Door, key: str, capabilities: dict[str, Any] | None = None) -> str:
    """A new session."""
    params = {
        "protocolVersion": LEGACY,
        "capabilities": capabilities or {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    answer = old(door, key, "initialize", params)
    assert answer.status == 200, answer.body
    return answer.headers["mcp-session-id"]


@contextmanager
def streaming(door: Door, body: Any, headers: dict[str, str]) -> Iterator[httpx2.Response]:
    """An answer whose body is still on its way; leaving closes the connection."""
    with (
        httpx2.Client(trust_env=False, timeout=30) as http,
        http.stream("POST", door.url, content=json.dumps(body), headers=headers) as answer,
    ):
        yield answer
