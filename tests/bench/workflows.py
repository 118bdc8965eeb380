"""Runs through HTTP on one web process: carried out inline, handed to a worker, fanned out, suspended and resumed."""

import json
import statistics
import time
from pathlib import Path

from django.test import Client

from tests.bench.load import Measured, load
from tests.bench.servers import server_of
from tests.cast import Cast, make_cast
from tests.conformance.node import node
from tests.queries import counted_queries

CONNECTIONS = 32
PARKED = 5000  # suspended runs

# What is measured → at least so many a second, or at most so many milliseconds.
LEAST = {"three steps": 150.0, "three steps by a worker": 40.0, "foreach of 20": 60.0, "suspend and resume": 80.0}
MOST = {"three steps": 10.0, "three steps by a worker": 60.0}
MOST_STATEMENTS = 3 + 2 * 3
MOST_SWEEP = 50.0


def run() -> bool:
    """Measure, print, and say whether everything was reached."""
    from tests.workflows.working import working

    cast = make_cast()
    statements = _statements(cast)
    rates: dict[str, Measured] = {}
    with working(children=2):
        with server_of("uvicorn") as url:
            rates["three steps"] = _load(url, cast, "bench-three", 1)
            rates["foreach of 20"] = _load(url, cast, "bench-each", list(range(20)))
            rates["suspend and resume"] = _cycles(url, cast)
        with server_of("uvicorn", RUN_INLINE_SECONDS="0") as url:
            rates["three steps by a worker"] = _load(url, cast, "bench-three", 1)
        unfinished = _unfinished(cast)
    sweep = _sweep(cast)
    return _report(rates, statements, sweep, unfinished)


def _load(url: str, cast: Cast, workflow_id: str, given: object) -> Measured:
    """The rate at 32 connections, and the median at one."""
    address = _address(url, workflow_id) + "/start-async"
    headers, body = {**cast.ben.headers, "Content-Type": "application/json"}, json.dumps({"inputData": given})
    load(address, headers, body, connections=CONNECTIONS, seconds=2)  # warms up
    many = load(address, headers, body, connections=CONNECTIONS, seconds=5)
    one = load(address, headers, body, connections=1, seconds=3)
    return Measured(many.per_second, one.p50, many.p99, many.failed + one.failed)


def _cycles(url: str, cast: Cast) -> Measured:
    script, address = Path(__file__).with_name("cycles.mjs"), _address(url, "bench-suspend")
    found = {}
    for seconds in ("2", "5"):  # the first time warms up
        finished = node(str(script), address, cast.ben.key, str(CONNECTIONS), seconds, capture_output=True, timeout=120)
        if finished.returncode:
            raise RuntimeError(f"The cycles failed: {finished.stderr[-500:]}")
        found = json.loads(finished.stdout)
    return Measured(found["perSecond"], 0, 0, found["failed"])


def _address(url: str, workflow_id: str) -> str:
    return f"{url.removesuffix('/mcp')}/workflows/{workflow_id}"


def _statements(cast: Cast) -> int:
    """SQL statements of one warm call that starts three steps and answers with their result."""
    client, path = Client(SERVER_NAME="localhost"), "/api/workflows/bench-three/start-async"

    def call() -> None:
        answer = client.post(path, '{"inputData": 1}', "application/json", headers=cast.ben.headers)
        if answer.json().get("result") != 3:
            raise RuntimeError(f"The run answered {answer.status_code}: {answer.content[:300]!r}")

    for _ in range(3):
        call()
    with counted_queries() as seen:
        call()
    return len(seen)


def _unfinished(cast: Cast) -> int:
    """Runs that did not end well; those whose caller went away are waited for."""
    from durable.models import OVER, SUCCESS, SUSPENDED
    from workflows.models import WorkflowRun

    runs = WorkflowRun.objects.filter(tenant=cast.tenant).exclude(status=SUSPENDED)
    deadline = time.monotonic() + 30
    while runs.exclude(status__in=OVER).exists() and time.monotonic() < deadline:
        time.sleep(0.2)  # the worker is at it
    return int(runs.exclude(status=SUCCESS).count())


def _sweep(cast: Cast) -> float:
    """Milliseconds of a sweep over thousands of suspended runs, the median."""
    from durable.models import SUSPENDED
    from workflows.engine import LEDGER
    from workflows.models import WorkflowRun

    pattern = WorkflowRun.objects.filter(tenant=cast.tenant).values("workflow_id", "version_id")[0]
    WorkflowRun.objects.bulk_create(
        WorkflowRun(tenant=cast.tenant, run_id=f"parked-{number}", resource_id="parked", status=SUSPENDED, **pattern)
        for number in range(PARKED)
    )
    taken = []
    for _ in range(20):
        begun = time.perf_counter()
        LEDGER.sweep()
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def _report(rates: dict[str, Measured], statements: int, sweep: float, unfinished: int) -> bool:
    print(f"\nWorkflow runs through HTTP: one web process (uvicorn), a worker of 2 children, {CONNECTIONS} connections")
    print(f"{'':24} {'runs/s':>8} {'wanted':>7} {'p50 ms at 1':>12} {'wanted':>7}  failed")
    good = True
    for what, found in rates.items():
        least, most = LEAST[what], MOST.get(what)
        reached = not found.failed and found.per_second >= least and (most is None or found.p50 < most)
        good &= reached
        print(
            f"{what:24} {found.per_second:8.0f} {least:7.0f} {found.p50 or '':>12} {most or '':>7}  "
            f"{found.failed}{'' if reached else '  <- not reached'}"
        )
    for text, value, limit in (
        ("SQL statements of a run of three steps", statements, MOST_STATEMENTS),
        (f"ms of a sweep beside {PARKED} suspended runs", round(sweep, 1), MOST_SWEEP),
        ("runs that did not succeed", unfinished, 0),
    ):
        good &= value <= limit
        print(f"{text}: {value}  (at most {limit:g}){'' if value <= limit else '  <- not reached'}")
    return good
