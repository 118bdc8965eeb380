"""The workers that are killed and replaced, or stand still for longer than their leases; and beat."""

import os
import random
import signal
import time
from collections.abc import Mapping
from typing import TextIO

from launch import programs
from launch.child import Child, Program


class Fleet:
    """Two workers with two children each. Start it from the main thread, as its programs die with that."""

    def __init__(self, environment: Mapping[str, str], log: TextIO) -> None:
        self.environment, self.log = environment, log
        self.workers: list[Child] = []
        self.beat: Child | None = None
        self.frozen: dict[int, float] = {}  # process group → when it goes on
        self.kills = self.freezes = 0

    def start(self) -> None:
        """All of them."""
        self.beat = self._run(programs.beat(self.environment, "WARNING"))
        self.workers = [self._worker(), self._worker()]

    def kill_one(self) -> None:
        """With -9, a worker and its children; another takes its place at once. Who stands still is to go on first."""
        chosen = random.choice([at for at, worker in enumerate(self.workers) if worker.pid not in self.frozen])
        self.workers[chosen].clear_away()
        self.workers[chosen] = self._worker()
        self.kills += 1

    def freeze_one(self, seconds: float) -> None:
        """A worker and its children stand still; others take up their runs, and then they go on as if nothing was."""
        pid = random.choice(self.workers).pid
        if _signal(pid, signal.SIGSTOP):
            self.frozen[pid] = time.monotonic() + seconds
            self.freezes += 1

    def thaw(self) -> None:
        """Those whose time is over go on."""
        for pid in [pid for pid, moment in self.frozen.items() if moment <= time.monotonic()]:
            del self.frozen[pid]
            _signal(pid, signal.SIGCONT)

    def stop(self) -> None:
        """The last of them are killed as well."""
        for child in (*self.workers, self.beat):
            if child is not None:
                child.clear_away()

    def _worker(self) -> Child:
        return self._run(programs.worker(self.environment, "WARNING"))

    def _run(self, program: Program) -> Child:
        return Child(program, lambda line: print(f"{program.name}: {line}", file=self.log))


def _signal(group: int, number: signal.Signals) -> bool:
    """Whether there was anybody to send it to."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True
