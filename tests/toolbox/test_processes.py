"""Tool processes end with the server that started them, however it ends."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from config import ROOT
from identity.principal import Principal
from tests.toolbox.conftest import eventually
from toolbox.context import context_of

SERVER = """
import config, os, time
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
from ground.bridge import on_background
from toolbox.processes import ToolProcess
from toolbox import frames

async def started():
    child = ToolProcess()
    await frames.receive_soon(child.link, 0)
    return child

child = on_background(started()).result(30)
print(child.process.pid, flush=True)
if {job!r}:
    on_background(child.ask({job!r}, 1000))
time.sleep({seconds})
"""
JOB = {
    "module": "tests.toolbox.misbehaving",
    "function": "leaves_a_session",
    "uses_models": False,
    "memory_mb": 512,
    "context": {},
    "limit": 1000,
}


def serving(seconds: float, job: bytes = b"") -> tuple[subprocess.Popen[str], psutil.Process]:
    """A server with a tool process that is ready."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER.format(seconds=seconds, job=job)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    with server.stdout:
        return server, psutil.Process(int(server.stdout.readline()))


@pytest.mark.parametrize("killed", [True, False])
def test_a_tool_process_never_outlives_its_server(killed: bool) -> None:
    server, child = serving(60 if killed else 0.1)

    if killed:
        server.send_signal(signal.SIGKILL)
    server.wait(10)

    eventually(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_what_a_tool_has_started_never_outlives_the_server(tmp_path: Path, cast_principal: Principal) -> None:
    context = asdict(context_of(cast_principal, "leaves_a_session", 60))
    data = {"file": str(tmp_path / "pid"), "then": "wait", "hidden": True}
    server, _ = serving(60, json.dumps({**JOB, "context": context, "data": json.dumps(data)}).encode())
    eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")

    server.send_signal(signal.SIGKILL)
    server.wait(10)

    eventually(lambda: not psutil.pid_exists(int((tmp_path / "pid").read_text())))


def test_a_tool_process_is_ready_soon() -> None:
    began = time.monotonic()

    server, _ = serving(0)

    server.wait(10)
    assert time.monotonic() - began < 5
