"""A PostgreSQL and a Valkey for one test session, started before the settings are read (`-p tests.services`)."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import config  # noqa: F401  (puts the source roots on the path)
from launch import embedded, readiness
from launch.child import Child

# The data is thrown away: nothing has to survive a crash of the machine.
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")

_stack = ExitStack()


@contextmanager
def running_services() -> Iterator[None]:
    """DATABASE_URL and REDIS_URL of fresh embedded services in the environment, unless both are set already."""
    if os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"):
        yield
        return
    folder = Path(tempfile.mkdtemp(prefix="atrium-test-"))
    children: list[Child] = []
    try:
        for program, probe in (
            (embedded.postgres(folder, FAST), readiness.database),
            (embedded.valkey(folder, durable=False), readiness.broker),
        ):
            children.append(child := Child(program))
            readiness.wait_for(child, probe(program.url))
            os.environ["DATABASE_URL" if program.name == "postgres" else "REDIS_URL"] = program.url
        os.environ.setdefault("DATA_DIR", str(folder / "data"))
        yield
    finally:
        for child in reversed(children):
            child.stop(10)
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Start the services once, before Django is configured; worker processes of a parallel run inherit them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _stack.enter_context(running_services())


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Stop them at the end, also after Ctrl-C."""
    _stack.close()
