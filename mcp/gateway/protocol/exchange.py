"""One HTTP exchange: the body under a limit, one answer as JSON, or a stream of events that ends with it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from gateway.protocol.errors import TOO_LARGE, ProtocolError

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
HeaderList = list[tuple[bytes, bytes]]

KEEP_ALIVE = 15.0  # seconds between comments on a quiet stream

JSON: tuple[bytes, bytes] = (b"content-type", b"application/json")
STREAM: HeaderList = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]


class ClientGone(Exception):
    """The client closed the connection before its request was whole."""


class Exchange:
    """The two directions of one request. `extra` are headers that every answer carries."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.extra: HeaderList = []
        self.streaming = False
        self._lock = asyncio.Lock()

    async def body(self, declared: str | None, limit: int) -> bytes:
        """The whole body; ProtocolError beyond `limit` bytes, before more of it is read."""
        if declared is not None and _exceeds(declared, limit):
            raise _too_large(limit)
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body: bytes = message.get("body", b"")
        if not message.get("more_body"):
            if len(body) > limit:
                raise _too_large(limit)
            return body
        pieces, size = [body], len(body)
        while message.get("more_body"):
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > limit:
                raise _too_large(limit)
        return b"".join(pieces)

    async def gone(self) -> None:
        """Return when the client has closed the connection."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def answer(self, status: int, body: bytes = b"", headers: HeaderList | None = None) -> None:
        """The one answer."""
        content = [JSON] if body else []
        lines = [*content, (b"content-length", str(len(body)).encode()), *(headers or ()), *self.extra]
        await self._send({"type": "http.response.start", "status": status, "headers": lines})
        await self._send({"type": "http.response.body", "body": body})

    async def event(self, message: bytes) -> None:
        """A message on the stream; the first one begins it."""
        async with self._lock:
            if not self.streaming:
                self.streaming = True
                await self._send({"type": "http.response.start", "status": 200, "headers": [*STREAM, *self.extra]})
            await self._write(b"event: message\ndata: " + message + b"\n\n")

    async def keep_alive(self) -> None:
        """A comment every now and then while the stream is quiet; ends when cancelled."""
        while True:
            await asyncio.sleep(KEEP_ALIVE)
            if self.streaming:
                async with self._lock:
                    await self._write(b": waiting\n\n")

    async def _write(self, chunk: bytes) -> None:
        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def last(self, status: int, message: bytes, headers: HeaderList | None = None) -> None:
        """The final message: as the last event of a stream, or as JSON when there is none."""
        if not self.streaming:
            await self.answer(status, message, headers)
            return
        await self.event(message)
        async with self._lock:
            await self._send({"type": "http.response.body", "body": b""})

    async def ended(self) -> None:
        """Nothing more: the stream closes, or the request was only accepted."""
        if not self.streaming:
            await self.answer(202)
            return
        async with self._lock:
            await self._send({"type": "http.response.body", "body": b""})


def _exceeds(declared: str, limit: int) -> bool:
    digits = declared.lstrip("0")
    return digits.isdecimal() and (len(digits) > len(str(limit)) or int(digits) > limit)


def _too_large(limit: int) -> ProtocolError:
    return ProtocolError(TOO_LARGE, f"The body may be {limit} bytes long at most", status=413)


async def ended(task: "asyncio.Task[Any]") -> None:
    """Cancel a task and wait until it has ended."""
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await task
