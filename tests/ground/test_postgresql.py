"""The database engine while PostgreSQL is killed and comes back."""

import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import OperationalError, connection

from ground.postgresql.base import IMPATIENT, DatabaseWrapper
from launch.child import Child
from launch.embedded import EmbeddedServices
from launch.readiness import wait_until
from tests.launch.running import DataFolder


class OwnWrapper(DatabaseWrapper):
    """Keeps its pools apart from the session's."""

    _connection_pools: dict[str, Any] = {}


class OwnPostgres:
    """An empty PostgreSQL of the test's own."""

    def __init__(self) -> None:
        self.folder = DataFolder()
        self.services = EmbeddedServices(self.folder.path, with_valkey=False, durable=False)
        [self._program] = self.services.furnish()
        self._child: Child | None = None
        self.start()

    def start(self) -> None:
        """Start, and return when it answers."""
        self._child = Child(self._program, lambda line: None)
        wait_until(self.services.answer, [self._child])

    def kill(self) -> None:
        """Like kill -9 of all its processes."""
        if self._child is not None:
            self._child.clear_away()
            self._child = None

    def wrapper(self, **pool: Any) -> DatabaseWrapper:
        """Django's connection to it, from a pool of its own."""
        parts = urlsplit(self.services.environment["DATABASE_URL"])
        facts: dict[str, Any] = deepcopy(connection.settings_dict)
        facts |= {"NAME": parts.path.strip("/"), "HOST": parts.hostname, "PORT": parts.port, "USER": parts.username}
        facts["PASSWORD"] = parts.password or ""
        facts["OPTIONS"]["pool"] |= pool
        return OwnWrapper(facts)


@pytest.fixture
def own() -> Iterator[OwnPostgres]:
    """A running server."""
    server = OwnPostgres()
    yield server
    server.kill()
    server.folder.remove()


def answers(database: DatabaseWrapper) -> bool:
    try:
        with database.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone() == (1,))
    except OperationalError:
        return False
    finally:
        database.close()


def seconds(fact: Callable[[], bool]) -> tuple[bool, float]:
    began = time.monotonic()
    return fact(), time.monotonic() - began


def test_it_says_soon_that_postgresql_is_away_and_is_back_by_itself(own: OwnPostgres) -> None:
    database = own.wrapper(timeout=1)
    try:
        assert answers(database)
        own.kill()

        assert seconds(lambda: answers(database)) == (False, pytest.approx(1, abs=0.5))
        began = time.monotonic()
        while time.monotonic() - began < 7:  # longer than one attempt to connect lasts
            assert seconds(lambda: answers(database)) == (False, pytest.approx(IMPATIENT, abs=0.2))

        own.start()
        began = time.monotonic()
        while not answers(database):
            assert time.monotonic() - began < 5
        assert database.pool.timeout == 1
    finally:
        database.close_pool()


def test_a_restart_between_two_requests_is_not_noticed(own: OwnPostgres) -> None:
    database = own.wrapper()
    try:
        assert answers(database)
        own.kill()
        own.start()

        assert [answers(database) for _ in range(20)] == [True] * 20
    finally:
        database.close_pool()
