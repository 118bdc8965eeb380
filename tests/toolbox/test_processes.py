"""Tool processes end with the server that started them, however it ends."""

import signal
import subprocess
import sys
import time

import psutil
import pytest

from config import ROOT
from tests.toolbox.conftest import eventually

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
time.sleep({seconds})
"""


def serving(seconds: float) -> tuple[subprocess.Popen[str], psutil.Process]:
    """A server with a tool process that is ready."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER.format(seconds=seconds)], cwd=ROOT, stdout=subprocess.PIPE, text=True
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


def test_a_tool_process_is_ready_soon() -> None:
    began = time.monotonic()

    server, _ = serving(0)

    server.wait(10)
    assert time.monotonic() - began < 5
