"""A real `manage.py up` in a folder of its own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psutil

from launch import postgres
from launch.ports import free_port
from launch.programs import ROOT

# What this session's own services and settings have put into the environment.
OURS = ("DATABASE_URL", "REDIS_URL", "DATA_DIR", "SECRET_KEY", "KEY_PEPPERS", "PORT", "EMBEDDED_DATABASE", "DEMO")


class DataFolder:
    """A new data folder and a free port, given back at the end."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="atrium-up-"))
        self.port = free_port()

    @property
    def environment(self) -> dict[str, str]:
        """A command's environment that leads here."""
        inherited = {name: value for name, value in os.environ.items() if name not in OURS}
        return {**inherited, "DATA_DIR": str(self.path), "PORT": str(self.port)}

    def manage(self, *arguments: str, **changes: str) -> "subprocess.CompletedProcess[str]":
        """Run a management command to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env={**self.environment, **changes},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def get(self, path: str) -> int:
        """The status that the web server answers; 0 when nobody does."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def remove(self) -> None:
        """Leave nothing behind."""
        postgres.discard(self.path)
        shutil.rmtree(self.path)


class Up:
    """The supervisor and its children."""

    def __init__(self, folder: DataFolder, *arguments: str) -> None:
        self.folder = folder
        self.log = folder.path / "up.log"
        with self.log.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *arguments],
                env=folder.environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        try:
            eventually(lambda: "Atrium serves." in self.output or self.process.poll() is not None, 60)
            assert self.process.poll() is None, self.output
        except BaseException:
            self.end()
            raise

    @property
    def output(self) -> str:
        """Everything it has printed."""
        return self.log.read_text()

    def descendants(self) -> list[psutil.Process]:
        """All processes below it."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, word: str) -> psutil.Process | None:
        """The direct child whose command has this word in it, while it runs."""
        children = psutil.Process(self.process.pid).children()
        return next((child for child in children if word in command_of(child)), None)

    def end(self) -> None:
        """Stop it, by force when it does not stop."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            finally:
                self.process.kill()
        self.process.wait()


def command_of(process: psutil.Process) -> str:
    """Its command line; empty when it ended."""
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run; one that waits for its new parent to collect it does not."""
    return [process for process in processes if process.is_running() and command_of(process)]


def eventually(fact: Callable[[], object], seconds: float) -> None:
    """Ask again until the fact holds; fail when it does not in time."""
    deadline = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < deadline, f"it did not happen within {seconds:g} s"
        time.sleep(0.05)
