"""The examples of docs/events.md run as they stand there."""

import json
import os
import re
import subprocess
import sys

import pytest

from config import ROOT
from events.audience import Audience
from events.publishing import publish
from tests.cast import Cast
from tests.conformance.node import wheel
from tests.events.happenings import run_event
from tests.events.sockets import address
from tests.gateway.clients import Door

NODE = str(wheel() / "bin" / "node")


def example(language: str) -> str:
    """The first block of a language."""
    found = re.search(rf"```{language}\n(.*?)```", (ROOT / "docs/events.md").read_text(), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(("language", "command"), [("python", [sys.executable, "-c"]), ("js", [NODE, "-e"])])
def test_an_example_tells_what_happens(cast: Cast, uvicorn: Door, language: str, command: list[str]) -> None:
    environment = {**os.environ, "ATRIUM_EVENTS": address(uvicorn), "KEY": cast.ben.key}
    client = subprocess.Popen([*command, example(language)], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert client.stdout is not None
        ready = json.loads(client.stdout.readline())
        publish(run_event("shown"), Audience(cast.tenant.id, cast.ben.user.id))
        told = json.loads(client.stdout.readline())
    finally:
        client.kill()
        client.communicate()

    assert ready["type"] == "ready"
    assert told["event"]["runId"] == "shown"


@pytest.mark.parametrize(("language", "command"), [("python", [sys.executable, "-c"]), ("js", [NODE, "-e"])])
def test_an_example_ends_when_its_key_is_refused(uvicorn: Door, language: str, command: list[str]) -> None:
    environment = {**os.environ, "ATRIUM_EVENTS": address(uvicorn), "KEY": "mcpk_nobody"}

    ended = subprocess.run([*command, example(language)], env=environment, capture_output=True, text=True, timeout=10)

    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {"type": "error", "error": "Invalid or expired credential"}
