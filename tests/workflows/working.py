"""A Celery worker in processes of its own, on the tests' database and broker, ended when the block is left."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections

from launch import pulse
from tests.gateway.servers import database_url
from workflows.tasks import sweep_runs

COMMAND = ("-m", "celery", "-q", "-A", "config", "worker", "--pool", "prefork", "--without-gossip", "--without-mingle")


@contextmanager
def working(children: int = 2, **environment: str) -> Iterator[None]:
    """A worker that has said that it is ready, and a sweep every half second."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", *COMMAND, "--concurrency", str(children), "--loglevel", "warning"],
        env={
            **os.environ,
            "DATABASE_URL": database_url(),
            "WORKFLOW_MODULES": "tests.workflows.flows",
            "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")])),
            **environment,
        },
    )
    stop = threading.Event()
    sweeping = threading.Thread(target=_sweep, args=(stop,))
    try:
        _wait(process)
        sweeping.start()
        yield
    finally:
        stop.set()
        if sweeping.ident is not None:
            sweeping.join()
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _sweep(stop: threading.Event) -> None:
    while not stop.wait(0.5):
        sweep_runs()
        connections.close_all()


def _wait(process: "subprocess.Popen[bytes]") -> None:
    ready = threading.Event()
    for _ in range(600):
        if pulse.has_pulse():
            return
        if process.poll() is not None:
            raise RuntimeError(f"The worker ended with {process.returncode} before it was ready.")
        ready.wait(0.1)  # nothing tells us when a worker begins
    raise RuntimeError("The worker was not ready within a minute.")
