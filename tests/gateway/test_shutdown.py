"""SIGTERM while a call is open: the process ends within its grace time, and nothing of the call goes on."""

import signal
import time
from contextlib import ExitStack
from typing import Any

import psutil
import pytest

from agents.models import Agent
from tests.cast import Cast
from tests.gateway.protocol.wire import modern, modern_headers, streaming
from tests.gateway.servers import atrium, process_of
from tests.inference.conftest import models
from tests.models_server import ModelsServer

__all__ = ["models"]

GRACE = 5.0  # seconds, as the servers of these tests are told
CALL: dict[str, Any] = {"name": "agent_call", "arguments": {"agentId": "helper", "message": "hi"}}


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_an_open_stream_does_not_keep_a_process(cast: Cast, helper: Agent, models: ModelsServer, server: str) -> None:
    Agent.objects.filter(pk=helper.pk).update(model="openai/silent")
    headers = modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": "agent_call"})

    with atrium(server) as door, streaming(door, modern("tools/call", CALL, progressToken=0), headers) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        process = process_of(door)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(GRACE + 3)
        took = time.monotonic() - began

    assert took < GRACE + 2
    assert not psutil.pid_exists(process.pid)
    assert models.abandoned.wait(5)


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_a_waiting_call_holds_no_thread_and_no_connection(
    cast: Cast, helper: Agent, models: ModelsServer, server: str
) -> None:
    Agent.objects.filter(pk=helper.pk).update(model="openai/silent")
    key = cast.ben.issue(["*"], concurrent_calls=20)
    headers = modern_headers(key, "tools/call", {"Mcp-Name": "agent_call"})

    with atrium(server, DATABASE_POOL="2") as door, ExitStack() as open_calls:
        for _ in range(12):
            open_calls.enter_context(streaming(door, modern("tools/call", CALL, progressToken=0), headers))

        assert door.call(key, "whoami").value["role"] == "member"
