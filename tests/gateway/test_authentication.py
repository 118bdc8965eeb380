"""Who is let in: one text for every credential that is not good, and nothing but headers counts."""

from typing import Any
from uuid import uuid4

import httpx2
import pytest

from credentials.actions import revoke_key
from credentials.models import ApiKey
from gateway.accounts import authenticate
from gateway.protocol.errors import ProtocolError
from gateway.protocol.headers import read
from gateway.protocol.server import Visit
from identity.invalidation import rights_changed
from tests.cast import Cast
from tests.gateway.clients import Answer, Door

REFUSED = {"code": -31401, "message": "Invalid or expired credential"}


def ask(door: Door, headers: dict[str, str], query: str = "") -> Answer:
    """`ping` of an older client, with these headers alone."""
    with httpx2.Client(trust_env=False, timeout=30) as http:
        answer = http.post(
            door.url + query,
            json={"jsonrpc": "2.0", "id": 7, "method": "ping"},
            headers={"Accept": "application/json, text/event-stream", **headers},
        )
    return Answer(answer.status_code, answer.headers, answer.json())


def test_a_key_comes_as_bearer_or_in_its_own_header(cast: Cast, door: Door) -> None:
    key = cast.ben.key

    assert ask(door, {"Authorization": f"Bearer {key}"}).status == 200
    assert ask(door, {"authorization": f"bearer {key}"}).status == 200
    assert ask(door, {"X-API-Key": key}).status == 200


def test_without_a_credential_the_challenge_names_the_scopes(door: Door) -> None:
    answer = ask(door, {})

    assert (answer.status, answer.error) == (401, REFUSED)
    assert answer.headers["www-authenticate"] == 'Bearer realm="atrium", scope="mcp:read mcp:execute mcp:write"'


def test_a_wrong_key_is_an_invalid_token(cast: Cast, door: Door) -> None:
    answer = ask(door, {"Authorization": f"Bearer {cast.ben.key[:-1]}!"})

    assert (answer.status, answer.error) == (401, REFUSED)
    assert answer.headers["www-authenticate"].startswith('Bearer realm="atrium", error="invalid_token"')


@pytest.mark.parametrize("case", ["both headers", "in the query", "basic", "session cookie"])
def test_anything_else_is_no_credential(cast: Cast, door: Door, case: str) -> None:
    key = cast.ben.key
    headers, query = {
        "both headers": ({"Authorization": f"Bearer {key}", "X-API-Key": key}, ""),
        "in the query": ({"Authorization": f"Bearer {key}"}, f"?api_key={key}"),
        "basic": ({"Authorization": f"Basic {key}"}, ""),
        "session cookie": ({"Cookie": "sessionid=abc"}, ""),
    }[case]

    answer = ask(door, headers, query)

    assert (answer.status, answer.error) == (401, REFUSED)


def test_a_session_cookie_beside_a_key_changes_nothing(cast: Cast, door: Door) -> None:
    assert ask(door, {"Authorization": f"Bearer {cast.ben.key}", "Cookie": "sessionid=abc"}).status == 200


def test_a_revoked_key_is_refused_at_once(cast: Cast, door: Door) -> None:
    text = cast.ben.key
    assert ask(door, {"X-API-Key": text}).status == 200

    revoke_key(cast.ana.principal, ApiKey.objects.get(tenant=cast.tenant, owner=cast.ben.user))

    assert ask(door, {"X-API-Key": text}).error == REFUSED


def test_a_user_who_left_is_refused_at_once(cast: Cast, door: Door) -> None:
    text = cast.ben.key
    assert ask(door, {"X-API-Key": text}).status == 200

    cast.ben.user.is_active = False
    cast.ben.user.save()
    rights_changed(cast.tenant.id)

    assert ask(door, {"X-API-Key": text}).error == REFUSED


def test_a_key_without_the_scope_to_read_is_told_which(cast: Cast, door: Door) -> None:
    answer = ask(door, {"X-API-Key": cast.ben.issue(["*"], scopes=["mcp:execute"])})

    assert answer.status == 403
    assert answer.error["code"] == -31403
    assert answer.headers["www-authenticate"] == ('Bearer realm="atrium", error="insufficient_scope", scope="mcp:read"')


async def test_an_address_that_guesses_is_held_up_and_good_keys_from_it_are_not(ben_key: str, settings: Any) -> None:
    settings.LIMIT_FAILED_AUTHENTICATIONS = 2
    peer = f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1"

    async def enter(key: str) -> int:
        visit = Visit(read([(b"x-api-key", key.encode())]), {}, peer)
        try:
            entered = authenticate(visit)
            if not hasattr(entered, "key"):
                await entered
        except ProtocolError as refused:
            return refused.code
        return 0

    guesses = [await enter(ben_key[:-1] + "!") for _ in range(4)]

    assert guesses == [-31401, -31401, -31429, -31429]
    assert await enter(ben_key) == 0
