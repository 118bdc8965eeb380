"""Credentials and servers of these tests."""

import time
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from pytest_django import Settings

from ground import valkey
from ground.errors import RateLimited
from ground.uuid7 import uuid7
from identity.principal import API_KEY, Credential
from limits.admission import admit
from limits.reach import reach
from tests.limits.servers import OwnValkey

TENANT = uuid7()


@pytest.fixture
def credential() -> Callable[..., Credential]:
    """Makes credentials that no other test uses."""

    def make(
        calls_per_minute: int = 60, burst: int | None = None, concurrent_calls: int = 1000, *, router: bool = False
    ) -> Credential:
        return Credential(
            API_KEY,
            uuid4().hex,
            "test",
            router=router,
            calls_per_minute=calls_per_minute,
            burst=burst,
            concurrent_calls=concurrent_calls,
        )

    return make


@pytest.fixture
def own_valkey(settings: Settings) -> Iterator[OwnValkey]:
    """A running server that the limits use; afterwards they are back on the session's."""
    server, session_url = OwnValkey(), settings.REDIS_URL
    server.start()
    settings.REDIS_URL = server.url
    yield server
    valkey.client().close()
    server.kill()
    settings.REDIS_URL = session_url
    eventually(is_back)


def is_back() -> bool:
    """Whether this process asked Valkey and got an answer."""
    return reach.asked(valkey.client().ping) is True


def enters(key: Credential) -> bool:
    """Whether a call of this credential is admitted now; it ends at once."""
    try:
        admit(key, TENANT).release()
    except RateLimited:
        return False
    return True


def eventually(fact: Callable[[], bool], seconds: float = 5.0) -> None:
    """Ask again until the fact holds; fail when it does not in time."""
    deadline = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
