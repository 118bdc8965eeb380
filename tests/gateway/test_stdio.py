"""`manage.py mcp_stdio`: a client that starts a process reaches the same tools, in every mode."""

import asyncio
import json
import os
import subprocess
import sys

import pytest
from mcp.client.stdio import StdioServerParameters

from agents.models import Agent
from config import ROOT
from mcp import Client
from tests.gateway.clients import MODES, Door

COMMAND = [str(ROOT / "manage.py"), "mcp_stdio"]


@pytest.mark.parametrize("mode", MODES)
async def test_the_bridge_carries_lists_and_calls(ben_key: str, door: Door, helper: Agent, mode: str) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=[*COMMAND, "--url", door.url], env={**os.environ, "MCP_KEY": ben_key}
    )

    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        listed = await client.list_tools()
        answer = await client.call_tool("list_agents", {"query": "help"})

    assert [tool.name for tool in listed.tools][:3] == ["whoami", "get_context", "agent_list"]
    assert answer.structured_content == {
        "agents": [{"id": "helper", "name": "Helper", "description": "Helps with invoices."}]
    }


def test_without_a_key_it_says_what_to_do() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "MCP_KEY"}

    ended = subprocess.run(
        [sys.executable, *COMMAND], env=environment, capture_output=True, text=True, timeout=60, check=False
    )

    assert ended.returncode == 1
    assert "Set MCP_KEY to an API key" in ended.stderr


async def test_without_a_server_it_says_so() -> None:
    environment = {**os.environ, "MCP_KEY": "mcpk_any"}
    message = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'

    ended = await asyncio.create_subprocess_exec(
        sys.executable, *COMMAND, "--url", "http://127.0.0.1:9/api/mcp", env=environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(ended.communicate(message), 60)

    assert ended.returncode == 1
    assert out == b""
    assert b"There is no answer from http://127.0.0.1:9/api/mcp" in err


async def test_it_answers_what_is_under_way_and_ends_when_the_client_closes_its_side(ben_key: str, door: Door) -> None:
    hello = '"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
    lines = [
        '{"jsonrpc":"2.0","id":1,"method":"initialize",' + hello + "}",
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"agent_list","arguments":{}}}',
    ]
    bridge = await asyncio.create_subprocess_exec(
        sys.executable, *COMMAND, "--url", door.url, env={**os.environ, "MCP_KEY": ben_key},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip

    out, err = await asyncio.wait_for(bridge.communicate("\n".join([*lines, ""]).encode()), 30)

    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert bridge.returncode == 0
    assert set(answers) == {1, 2}
    assert "agents" in answers[2]["result"]["structuredContent"]
    assert b"session" not in err.lower()
