"""Clients of the door: the official SDK in every mode, and bare requests where a code or a header matters."""

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from mcp import Client

MODES = ("auto", "legacy", "2026-07-28")
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}

_ids = itertools.count(1)


@dataclass(frozen=True)
class Answer:
    """What came back for one bare request."""

    status: int
    headers: httpx2.Headers
    body: Any

    @property
    def result(self) -> Any:
        """The JSON-RPC result."""
        return self.body["result"]

    @property
    def error(self) -> Any:
        """The JSON-RPC error."""
        return self.body["error"]

    @property
    def value(self) -> Any:
        """The text block of a tool's result, read as JSON."""
        return json.loads(self.result["content"][0]["text"])

    @property
    def sentence(self) -> str:
        """The sentence of a tool's error."""
        assert self.result["isError"] is True, self.body
        assert "structuredContent" not in self.result
        return str(self.value["error"])


@dataclass(frozen=True)
class Door:
    """A running server."""

    base: str

    @property
    def url(self) -> str:
        """The MCP endpoint."""
        return self.base + "/api/mcp"

    def ask(
        self, key: str, method: str, params: dict[str, Any] | None = None, *, query: str = "", **meta: Any
    ) -> Answer:
        """One modern request."""
        body = {
            "jsonrpc": "2.0",
            "id": next(_ids),
            "method": method,
            "params": {**(params or {}), "_meta": {**META, **meta}},
        }
        headers = {
            "Authorization": f"Bearer {key}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
        }
        if "name" in (params or {}):
            headers["Mcp-Name"] = str((params or {})["name"]).encode("ascii", "backslashreplace").decode()
        with httpx2.Client(trust_env=False, timeout=70) as http:
            answer = http.post(self.url + query, json=body, headers=headers)
        return Answer(answer.status_code, answer.headers, answer.json())

    def listed(self, key: str, query: str = "") -> list[dict[str, Any]]:
        """The tools of the first page."""
        tools: list[dict[str, Any]] = self.ask(key, "tools/list", query=query).result["tools"]
        return tools

    def names(self, key: str, query: str = "") -> list[str]:
        """Their names."""
        return [tool["name"] for tool in self.listed(key, query)]

    def call(self, key: str, name: str, arguments: Any = None, *, query: str = "", **meta: Any) -> Answer:
        """One call of a tool."""
        params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        return self.ask(key, "tools/call", params, query=query, **meta)

    @asynccontextmanager
    async def client(self, key: str, mode: str = "auto", query: str = "") -> AsyncIterator[Client]:
        """The SDK's client, connected."""
        headers = {"Authorization": f"Bearer {key}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=70) as http,
            Client(streamable_http_client(self.url + query, http_client=http), mode=mode) as client,
        ):
            yield client
