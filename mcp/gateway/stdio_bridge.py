"""Carries messages between a client that only starts processes and the HTTP endpoint, unchanged in both directions."""

from collections.abc import Mapping
from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

META_VERSION = "io.modelcontextprotocol/protocolVersion"
LAST_SECONDS = 60.0  # what is under way when the client closes its side may still be answered
TIMEOUT = httpx2.Timeout(30, read=300)  # seconds; a waiting call is quiet for long


class Eras:
    """What the HTTP headers of each message must say, read from the messages that pass."""

    def __init__(self) -> None:
        self._negotiated: str | None = None
        self._initializing: Any = None
        self._unanswered: set[Any] = set()
        self.all_answered = anyio.Event()

    def handed_on(self, message: SessionMessage) -> None:
        """The client has this message of the server's."""
        if isinstance(message.message, JSONRPCResponse | JSONRPCError):
            self._unanswered.discard(message.message.id)
            self.all_answered.set()

    async def drained(self) -> None:
        """Return when every request that was passed on has its answer."""
        while self._unanswered:
            self.all_answered = anyio.Event()
            await self.all_answered.wait()

    def outgoing(self, message: SessionMessage) -> SessionMessage:
        """The client's message with the headers that belong to it."""
        body = message.message
        if isinstance(body, JSONRPCRequest):
            self._unanswered.add(body.id)
        params: Mapping[str, Any] = getattr(body, "params", None) or {}
        method = getattr(body, "method", None)
        if method == "initialize" and isinstance(body, JSONRPCRequest):
            self._initializing = body.id
            return SessionMessage(body)
        meta = params.get("_meta") or {}
        modern = meta.get(META_VERSION) if isinstance(meta, Mapping) else None
        headers: dict[str, str] = {}
        if version := modern or self._negotiated:
            headers[MCP_PROTOCOL_VERSION_HEADER] = str(version)
        if modern and method:
            headers[MCP_METHOD_HEADER] = method
            name = params.get(NAME_BEARING_METHODS.get(method, ""))
            if isinstance(name, str):
                headers[MCP_NAME_HEADER] = encode_header_value(name)
        return SessionMessage(body, ClientMessageMetadata(headers=headers) if headers else None)

    def incoming(self, message: SessionMessage) -> SessionMessage:
        """The server's message; the answer to `initialize` settles the version."""
        body = message.message
        if isinstance(body, JSONRPCResponse) and body.id == self._initializing:
            self._negotiated, self._initializing = body.result.get("protocolVersion"), None
        return SessionMessage(body)


async def bridge(url: str, key: str) -> None:
    """Run until the client closes its side and has its answers."""
    eras = Eras()
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=TIMEOUT, trust_env=False) as http,
        streamable_http_client(url, http_client=http) as (from_server, to_server),
        stdio_server() as (from_client, to_client),
        anyio.create_task_group() as tasks,
    ):

        async def answers() -> None:
            async for message in from_server:
                if isinstance(message, SessionMessage):
                    await to_client.send(eras.incoming(message))
                    eras.handed_on(message)

        tasks.start_soon(answers)
        async for message in from_client:
            if isinstance(message, SessionMessage):
                await to_server.send(eras.outgoing(message))
        with anyio.move_on_after(LAST_SECONDS):
            await eras.drained()
        tasks.cancel_scope.cancel()
        await to_client.aclose()  # ends the writer, and so the process
