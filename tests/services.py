"""A PostgreSQL and a Valkey for one test session, started before the settings are read (`-p tests.services`)."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import config  # noqa: F401  (puts the source roots on the path)
from launch import embedded, postgres

SECRETS = {"SECRET_KEY": "k" * 50, "KEY_PEPPERS": "1:" + "p" * 40}

# All tests speak from one address; those that prove this limit set it themselves.
LIMITS = {"LIMIT_FAILED_AUTHENTICATIONS": "100000"}


@contextmanager
def running_services() -> Iterator[None]:
    """DATABASE_URL and REDIS_URL of fresh embedded services in the environment, unless both are set already."""
    if os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"):
        yield
        return
    folder = Path(tempfile.mkdtemp(prefix="atrium-test-"))
    before = dict(os.environ)
    try:
        with embedded.running(folder, durable=False) as environment:
            os.environ.update(environment)
            (folder / "static").mkdir()
            os.environ.update({"DATA_DIR": str(folder), **SECRETS, **LIMITS})
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        postgres.discard(folder)
        shutil.rmtree(folder)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start the services once, before Django is configured; worker processes of a parallel run inherit them.

    They stop at the end, also after Ctrl-C or when the settings cannot be read.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        stack = ExitStack()
        early_config.add_cleanup(stack.close)
        stack.enter_context(running_services())
