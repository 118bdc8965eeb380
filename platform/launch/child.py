"""A child process that never outlives us: started through the shim, its lines passed on, stopped with a deadline."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from launch.server_user import ServerUser

SHIM = Path(__file__).with_name("shim.py")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Program:
    """How to run a program: `stop_signal` ends it in order, `orphan_signal` is what it gets when we are killed."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    orphan_signal: signal.Signals = signal.SIGKILL
    user: ServerUser | None = None
    pass_fds: tuple[int, ...] = ()
    folder: Path | None = None


class Child:
    """One running program. Start it from the main thread: the kernel ties it to the thread that forked it."""

    def __init__(self, program: Program, say: Say) -> None:
        self.program = program
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(SHIM), str(os.getpid()), str(int(program.orphan_signal)), *_ids(program)],
            env=dict(program.environment),
            cwd=program.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=program.pass_fds,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._pass_on, args=(say,), daemon=True)
        self._reader.start()

    def _pass_on(self, say: Say) -> None:
        assert self.process.stdout is not None
        with self.process.stdout:
            for line in self.process.stdout:
                say(line.rstrip("\n"))

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def ask_to_stop(self) -> None:
        """Send the signal that stops it cleanly."""
        if self.is_running:
            self.process.send_signal(self.program.stop_signal)

    def clear_away(self) -> None:
        """End by force what is left of it and of its own children, and collect it; its last lines are passed on."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # nobody left, or not yet a group of its own
            self.process.kill()
        self.process.wait()
        self._reader.join(1)

    def wait(self, within: float) -> bool:
        """Whether it ends within so many seconds."""
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True


def _ids(program: Program) -> tuple[str, ...]:
    user = program.user
    return (str(user.uid), str(user.gid), *program.command) if user else ("-", "-", *program.command)
