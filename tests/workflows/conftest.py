"""Fixtures of the workflow tests: the flows are known, people have clients, a worker runs where one is asked for."""

from collections.abc import Iterator

import pytest

from tests.agents.conftest import helper
from tests.cast import Cast
from tests.workflows import flows  # noqa: F401  (registers the workflows)
from tests.workflows.client import Runs
from tests.workflows.working import working

__all__ = ["helper"]


@pytest.fixture
def ben(cast: Cast) -> Runs:
    """ben's runs."""
    return Runs(cast.ben)


@pytest.fixture(scope="package")
def worker() -> Iterator[None]:
    """A real worker on the tests' database and broker, and the sweep that beat would ask for."""
    with working():
        yield
