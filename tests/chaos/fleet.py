"""The workers that are killed and replaced, and beat."""

import random
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
        self.kills = 0

    def start(self) -> None:
        """All of them."""
        self.beat = self._run(programs.beat(self.environment, "WARNING"))
        self.workers = [self._worker(), self._worker()]

    def kill_one(self) -> None:
        """With -9, a worker and its children; another takes its place at once."""
        chosen = random.randrange(len(self.workers))
        self.workers[chosen].clear_away()
        self.workers[chosen] = self._worker()
        self.kills += 1

    def stop(self) -> None:
        """The last of them are killed as well."""
        for child in (*self.workers, self.beat):
            if child is not None:
                child.clear_away()

    def ended(self) -> str | None:
        """The name of a program that ended by itself."""
        children = [*self.workers, self.beat]
        return next((child.program.name for child in children if child is not None and not child.is_running), None)

    def _worker(self) -> Child:
        return self._run(programs.worker(self.environment, "WARNING"))

    def _run(self, program: Program) -> Child:
        return Child(program, lambda line: print(f"{program.name}: {line}", file=self.log))
