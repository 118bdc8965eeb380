"""While Valkey is away: members go on under a local cap, router keys are told when to come back."""

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.limits.conftest import own_valkey
from tests.limits.servers import OwnValkey

__all__ = ["own_valkey"]


def test_lists_and_calls_go_on(cast: Cast, door: Door, own_valkey: OwnValkey) -> None:
    own_valkey.kill()

    assert door.names(cast.ben.key)[0] == "whoami"
    assert door.call(cast.ben.key, "whoami").value["role"] == "member"


def test_a_router_key_is_told_when_to_come_back(cast: Cast, door: Door, own_valkey: OwnValkey) -> None:
    key = cast.ben.issue(["*", "execute_tool"])
    own_valkey.kill()

    answer = door.call(key, "execute_tool", {"name": "whoami"})

    assert answer.status == 503
    assert answer.headers["retry-after"] == "2"
    assert answer.error == {
        "code": -31503,
        "message": "Router keys are not served while the limits are out of reach; try again in a moment.",
        "data": {"retryAfter": 2},
    }
