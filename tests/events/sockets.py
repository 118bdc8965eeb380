"""Clients of `/ws/events`, at a server process of the tests' own."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.gateway.clients import Door


def address(door: Door, query: str = "") -> str:
    """Of the websocket of a server."""
    return f"{door.base.replace('http', 'ws', 1)}/ws/events{query}"


class Socket:
    """One connection, and what was said on it."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def hear(self, seconds: float = 5) -> Any:
        """The next message."""
        return json.loads(await self._next(seconds))

    async def _next(self, seconds: float) -> str | bytes:
        async with asyncio.timeout(seconds):
            return await self._connection.recv()

    async def say(self, message: object) -> None:
        """Send a message; what is no text is sent as JSON."""
        await self._connection.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def closed(self, seconds: float = 8) -> tuple[int, str]:
        """With which code the server closes, and the last sentence before."""
        sentence = ""
        try:
            while True:
                sentence = (await self.hear(seconds)).get("error", sentence)
        except ConnectionClosed as end:
            frame = end.rcvd
        assert frame is not None, "it was cut off"
        return frame.code, sentence


@asynccontextmanager
async def opened(door: Door, query: str = "", **headers: str) -> AsyncIterator[Socket]:
    """A connection with these headers, not yet authenticated."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    # Whoever leaves with messages unread does not hear the other side's farewell: do not wait for it.
    async with connect(address(door, query), additional_headers=named, proxy=None, close_timeout=0.5) as connection:
        yield Socket(connection)


@asynccontextmanager
async def listening(door: Door, key: str, cursor: str | None = None) -> AsyncIterator[Socket]:
    """A connection that is ready: the first message has been taken."""
    async with opened(door) as socket:
        first = {"type": "authenticate", "key": key}
        await socket.say(first if cursor is None else {**first, "cursor": cursor})
        ready = await socket.hear()
        assert ready["type"] == "ready", ready
        yield socket
