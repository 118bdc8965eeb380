"""A child process that never outlives us: started through the shim, its lines passed on, stopped with a deadline."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from launch.embedded import Program

SHIM = Path(__file__).with_name("shim.py")


class Child:
    """One running program. Start it from the main thread: the kernel ties it to the thread that forked it."""

    def __init__(
        self, program: Program, environment: Mapping[str, str] | None = None, say: Callable[[str], None] | None = None
    ) -> None:
        self.program = program
        command = [sys.executable, "-S", "-E", str(SHIM), str(os.getpid()), str(program.stop_signal), program.user]
        self.process = subprocess.Popen(
            [*command, *program.command],
            env=dict(environment if environment is not None else os.environ),
            cwd="/" if program.user != "-" else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if say else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if say else subprocess.DEVNULL,
            text=True,
            errors="replace",
        )
        self._reader: threading.Thread | None = None
        if say is not None:
            self._reader = threading.Thread(target=self._pass_on, args=(say,), daemon=True)
            self._reader.start()

    def _pass_on(self, say: Callable[[str], None]) -> None:
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

    def stop(self, within: float) -> None:
        """Stop it cleanly, or by force after `within` seconds."""
        self.ask_to_stop()
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            self._kill_group()
            self.process.wait()
        if self._reader is not None:
            self._reader.join(1)

    def _kill_group(self) -> None:
        try:
            os.killpg(self.pid, 9)
        except (ProcessLookupError, PermissionError):
            self.process.kill()
