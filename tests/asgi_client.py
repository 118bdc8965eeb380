"""One request to the ASGI application inside this process, answered as a plain value."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson

from config.asgi import application


@dataclass(frozen=True)
class Answer:
    """Status, headers (lower case) and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's value."""
        return orjson.loads(self.body)


async def post(url: str, headers: dict[str, str], body: bytes) -> Answer:
    """POST the body and wait for the whole answer."""
    parts = urlsplit(url)
    started: dict[str, Any] = {}
    pieces: list[bytes] = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            started.update(message)
        else:
            pieces.append(message.get("body", b""))

    lines = [(b"host", b"127.0.0.1"), *((n.lower().encode(), v.encode()) for n, v in headers.items())]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": parts.path, "raw_path": parts.path.encode(), "query_string": parts.query.encode(), "root_path": "",
        "headers": lines, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    await application(scope, receive, send)
    shown = {name.decode().lower(): value.decode() for name, value in started["headers"]}
    return Answer(started["status"], shown, b"".join(pieces))
