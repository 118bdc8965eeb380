"""The official Inspector's command line against a running server, as docs/connect.md says."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cast import Cast
from tests.conformance.node import HERE, install, node
from tests.gateway.clients import Door
from tests.gateway.servers import atrium

INSPECTOR = HERE / "node_modules" / "@modelcontextprotocol" / "inspector"


@pytest.fixture(scope="module")
def entry() -> str:
    """What `npx @modelcontextprotocol/inspector` runs."""
    install()
    found = json.loads((INSPECTOR / "package.json").read_text())["bin"]["inspector"]
    return str(INSPECTOR / found)


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def served(request: pytest.FixtureRequest, real_database: None) -> Iterator[Door]:
    """A server to inspect."""
    with atrium(request.param) as door:
        yield door


@pytest.fixture
def inspect(entry: str, served: Door, tmp_path: Path) -> Any:
    """Runs the Inspector with a key header."""

    def run(key: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        target = ("--cli", served.url, "--transport", "http", "--header", f"Authorization: Bearer {key}")
        return node(
            entry, *target, *arguments, env={"HOME": str(tmp_path), "PATH": ""}, capture_output=True, timeout=60
        )  # fmt: skip

    return run


def test_it_lists_the_tools_of_a_key(cast: Cast, served: Door, inspect: Any) -> None:
    finished = inspect(cast.ben.key, "--method", "tools/list")

    assert finished.returncode == 0, finished.stderr
    assert [tool["name"] for tool in json.loads(finished.stdout)["tools"]] == served.names(cast.ben.key)


def test_no_schema_is_one_that_clients_refuse(cast: Cast, inspect: Any) -> None:
    finished = inspect(cast.ana.key, "--method", "tools/list", "--strict")

    assert finished.returncode == 0, finished.stderr


def test_it_calls_a_tool(cast: Cast, inspect: Any) -> None:
    finished = inspect(cast.ben.key, "--method", "tools/call", "--tool-name", "whoami")

    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["structuredContent"]["role"] == "member"


def test_it_passes_arguments_on(cast: Cast, inspect: Any) -> None:
    call = ("--method", "tools/call", "--tool-name", "agent_list", "--tool-arg", "query=nobody")

    finished = inspect(cast.ben.key, *call)

    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["structuredContent"] == {"agents": []}


def test_a_wrong_key_ends_at_once(inspect: Any) -> None:
    finished = inspect("wrong", "--method", "tools/list", "--stored-auth-only")

    assert finished.returncode == 3
    assert json.loads(finished.stderr)["error"]["code"] == "auth_required"
