"""A server in a process of its own, on a free port, ended when the block is left."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

MCP_PATH = "/api/mcp"


def free_port() -> int:
    """A port of the loopback interface that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def asgi(server: str, application: str, port: int) -> list[str]:
    """How daphne or uvicorn serve an application, one process."""
    if server == "daphne":
        return ["daphne", "-b", "127.0.0.1", "-p", str(port), "-v", "0", "--no-server-name", application]
    return [
        "uvicorn", application, "--host", "127.0.0.1", "--port", str(port), "--loop", "uvloop", "--http", "httptools",
        "--log-level", "warning", "--no-access-log", "--lifespan", "off", "--timeout-graceful-shutdown", "5",
    ]  # fmt: skip


@contextmanager
def serving(command: Callable[[int], list[str]], environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """The MCP address of a running server; `command` are the module and arguments for a port."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", *command(port)],
        env={**os.environ, "PYTHONPATH": os.getcwd(), "PORT": str(port), **(environment or {})},
    )
    url = f"http://127.0.0.1:{port}{MCP_PATH}"
    try:
        _wait(process, url)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: "subprocess.Popen[bytes]", url: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended with {process.returncode} before it answered.")
        try:
            urllib.request.urlopen(url, timeout=1)
        except urllib.error.HTTPError:
            return  # any answer will do
        except OSError:
            time.sleep(0.1)  # nothing tells us when a server begins to listen
    raise RuntimeError(f"The server did not answer at {url} within a minute.")
