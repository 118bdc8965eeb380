"""Valkey or PostgreSQL killed under a running server: what goes on, what is told to come back, and the way back."""

from collections.abc import Iterator

import pytest

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.own_database import OwnDatabase
from tests.gateway.servers import atrium
from tests.launch.running import eventually
from tests.limits.servers import OwnValkey

BACK = 20.0  # seconds for everything to be as before


@pytest.fixture
def valkey() -> Iterator[OwnValkey]:
    """A Valkey that may be killed."""
    server = OwnValkey()
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def database() -> Iterator[OwnDatabase]:
    """A PostgreSQL that may be killed, with the demo data."""
    own = OwnDatabase()
    try:
        yield own
    finally:
        own.remove()


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_without_valkey_members_go_on_under_a_cap(cast: Cast, valkey: OwnValkey, server: str) -> None:
    member = cast.ben.issue(["*"], calls_per_minute=1, burst=3)
    router = cast.ben.issue(["*", "execute_tool"])
    with atrium(server, REDIS_URL=valkey.url) as door:
        assert door.call(router, "whoami").status == 200
        valkey.kill()

        assert [door.call(member, "whoami").status for _ in range(4)] == [200, 200, 200, 429]
        assert door.names(member)[0] == "whoami"
        eventually(lambda: door.call(router, "whoami").status == 503, 2)
        refused = door.ask(router, "tools/list")
        assert (refused.status, refused.error["code"]) == (503, -31503)
        assert int(refused.headers["retry-after"]) >= 1

        valkey.start()
        eventually(lambda: door.call(router, "whoami").status == 200, BACK)
        eventually(lambda: door.ask(router, "tools/list").status == 200, BACK)


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_without_postgresql_it_says_503_and_recovers(database: OwnDatabase, server: str) -> None:
    key = database.key("member")
    with atrium(server, **database.environment) as door:
        assert door.call(key, "agent_list").status == 200
        database.kill()

        eventually(lambda: is_away(door, key, "tools/call"), 20)
        eventually(lambda: is_away(door, key, "tools/list"), 20)
        assert is_away(door, database.key("viewer"), "tools/list"), "a key that was not used before"

        database.start()
        eventually(lambda: door.call(key, "agent_list").status == 200, BACK)
        assert door.names(database.key("viewer"))[0] == "whoami"


def is_away(door: Door, key: str, method: str) -> bool:
    """Whether the answer is a 503 that says when to come back; fails when it is neither that nor a good one."""
    answer = door.ask(key, method, {"name": "agent_list"} if method == "tools/call" else None)
    if answer.status == 200 and "error" not in answer.body:
        return False
    assert (answer.status, answer.error["code"]) == (503, -31503), answer.body
    assert int(answer.headers["retry-after"]) >= 1
    return True
