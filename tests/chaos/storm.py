"""Starts the runs, resumes and cancels them, and kills workers and the broker meanwhile."""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connections
from django.db.models import QuerySet

from durable.models import OVER, SUSPENDED
from ground.errors import Conflict
from identity.principal import Principal
from tests.chaos import effects, flows
from tests.chaos.brokers import Broker
from tests.chaos.fleet import Fleet
from workflows.actions import cancel_run, resume_run, start_run
from workflows.models import WorkflowRun

WORKFLOW = "chaos"
CANCELED_SHARE, TWICE_SHARE = 0.1, 0.2
CANCELED_WITHIN = 8.0  # seconds after its start


@dataclass(frozen=True)
class Size:
    """How much of it."""

    runs: int
    broker_kills: int
    kill_every: float  # seconds between two kills of a worker
    freeze_every: float  # seconds between two workers that stand still
    patience: float  # seconds for all of it


@dataclass
class Seen:
    """What happened while it lasted."""

    numbers: dict[str, int]  # of each run, by its id
    canceled: set[str] = field(default_factory=set)
    resumed: list[tuple[str, int]] = field(default_factory=list)  # and how many of two resumed it
    broker_kills: int = 0
    worker_kills: int = 0
    freezes: int = 0
    seconds: float = 0.0


class Storm:
    """One of them. Programs are started and killed by the thread that calls `rage`, all else in others."""

    def __init__(self, principal: Principal, fleet: Fleet, broker: Broker, size: Size) -> None:
        self.principal, self.fleet, self.broker, self.size = principal, fleet, broker, size
        self.seen = Seen({f"run-{n}": n for n in range(size.runs)})
        self.doomed: list[tuple[float, str]] = []  # when a run is canceled
        self.over = threading.Event()

    def rage(self) -> Seen:
        """Until all runs are over, or patience is."""
        begun = time.monotonic()
        with ThreadPoolExecutor(10, "chaos") as pool:
            self.pool = pool
            watching = [self._soon(self._resume_all), self._soon(self._cancel_some)]
            starting = [self._soon(self._start, run_id) for run_id in self.seen.numbers]
            try:
                self._kill_until(begun + self.size.patience)
            finally:
                self.over.set()
            for future in (*watching, *starting):
                future.result()
        self.seen.seconds = time.monotonic() - begun
        self.seen.worker_kills, self.seen.freezes = self.fleet.kills, self.fleet.freezes
        return self.seen

    def _soon(self, act: Callable[..., None], *arguments: str) -> "Future[None]":
        def acting() -> None:
            try:
                act(*arguments)
            finally:
                connections.close_all()

        return self.pool.submit(acting)

    def _runs(self) -> "QuerySet[WorkflowRun]":
        return WorkflowRun.objects.filter(tenant_id=self.principal.tenant_id)

    # --- people -------------------------------------------------------------------------------------------------------

    def _start(self, run_id: str) -> None:
        start_run(self.principal, WORKFLOW, given=flows.given(self.seen.numbers[run_id]), run_id=run_id)
        if random.random() < CANCELED_SHARE:
            self.doomed.append((time.monotonic() + random.uniform(0, CANCELED_WITHIN), run_id))

    def _cancel_some(self) -> None:
        while not self.over.wait(0.05):
            for moment, run_id in [entry for entry in self.doomed if entry[0] < time.monotonic()]:
                self.doomed.remove((moment, run_id))
                try:
                    cancel_run(self.principal, WORKFLOW, run_id)
                except Conflict:  # it was over
                    continue
                self.seen.canceled.add(run_id)

    def _resume_all(self) -> None:
        """Whatever waits for a person, as it appears; some are asked for by two people at the same time."""
        asked: set[str] = set()
        while not self.over.wait(0.2):
            waiting = set(self._runs().filter(status=SUSPENDED).values_list("run_id", flat=True))
            for run_id in waiting - asked:
                asked.add(run_id)
                self._soon(self._resume_twice if random.random() < TWICE_SHARE else self._resume, run_id)

    def _resume(self, run_id: str) -> bool:
        """Whether it was this one who resumed it."""
        resume_data = flows.approval(self.seen.numbers[run_id])
        try:
            resume_run(self.principal, WORKFLOW, run_id, step=["chaos-approve"], resume_data=resume_data)
        except Conflict:
            return False
        return True

    def _resume_twice(self, run_id: str) -> None:
        together = threading.Barrier(2)

        def resuming() -> bool:
            try:
                together.wait(10)
                return self._resume(run_id)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(2) as pair:
            answers = [future.result() for future in (pair.submit(resuming), pair.submit(resuming))]
        self.seen.resumed.append((run_id, sum(answers)))

    # --- what is killed -----------------------------------------------------------------------------------------------

    def _kill_until(self, deadline: float) -> None:
        """A worker every few seconds; the broker whenever another part of all effects is there."""
        kill_at = freeze_at = time.monotonic()
        while time.monotonic() < deadline and not self._all_over():
            if time.monotonic() >= kill_at + self.size.kill_every:
                kill_at = time.monotonic()
                self.fleet.kill_one()
            if time.monotonic() >= freeze_at + self.size.freeze_every and not self.fleet.frozen:
                freeze_at = time.monotonic()
                self.fleet.freeze_one(settings.RUN_LEASE_SECONDS + 1.5)
            self.fleet.thaw()
            if self._broker_is_next():
                self.broker.kill()
                time.sleep(1)  # it is away for a moment
                self.broker.start()
                self.seen.broker_kills += 1
            self.over.wait(0.1)

    def _broker_is_next(self) -> bool:
        if self.seen.broker_kills >= self.size.broker_kills:
            return False
        all_effects = self.size.runs * flows.EFFECTS
        return effects.made() >= all_effects * (self.seen.broker_kills + 1) / (self.size.broker_kills + 1)

    def _all_over(self) -> bool:
        return self._runs().filter(status__in=OVER).count() == self.size.runs
