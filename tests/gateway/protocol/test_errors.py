"""Refusals: one text whatever was wrong with a credential, and a time to come back where there is one."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from credentials.actions import revoke_key
from credentials.models import ApiKey
from identity.invalidation import rights_changed
from tests.cast import Cast
from tests.gateway.clients import Answer, Door
from tests.gateway.protocol.wire import legacy_headers, message, modern, modern_headers, send


def key_of(cast: Cast) -> ApiKey:
    return ApiKey.objects.get(tenant=cast.tenant, owner=cast.ben.user)


def expire(cast: Cast) -> None:
    ApiKey.objects.filter(pk=key_of(cast).pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def revoke(cast: Cast) -> None:
    revoke_key(cast.ana.principal, key_of(cast))


def leave(cast: Cast) -> None:
    cast.ben.user.is_active = False
    cast.ben.user.save()
    rights_changed(cast.tenant.id)


def close(cast: Cast) -> None:
    cast.tenant.is_active = False
    cast.tenant.save()
    rights_changed(cast.tenant.id)


def told(answer: Answer) -> tuple[int, object, str]:
    return answer.status, answer.body, answer.headers["www-authenticate"]


@pytest.mark.parametrize("spoil", [expire, revoke, leave, close])
def test_every_bad_credential_reads_the_same(cast: Cast, door: Door, spoil: Callable[[Cast], None]) -> None:
    key = cast.ben.key
    spoil(cast)
    unknown = send(door, message("ping"), legacy_headers(key[:-1] + ("a" if key[-1] != "a" else "b")))

    answer = send(door, message("ping"), legacy_headers(key))

    assert told(answer) == told(unknown)
    assert (answer.status, answer.error["code"]) == (401, -31401)
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


def test_a_call_beyond_the_rate_is_told_when_to_come_back(cast: Cast, door: Door) -> None:
    key = cast.ben.issue(["*"], calls_per_minute=1, burst=1)
    body = modern("tools/call", {"name": "whoami"})
    headers = modern_headers(key, "tools/call", {"Mcp-Name": "whoami", "Origin": door.base})
    assert send(door, body, headers).status == 200

    answer = send(door, body, headers)

    assert (answer.status, answer.error["code"], answer.body["id"]) == (429, -31429, 7)
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert answer.error["data"]["retryAfter"] == int(answer.headers["retry-after"])
    assert "retry-after" in answer.headers["access-control-expose-headers"].lower()


def test_a_credential_without_the_scope_is_told_which(cast: Cast, door: Door) -> None:
    answer = send(door, message("ping"), legacy_headers(cast.ben.issue(["*"], scopes=["mcp:execute"])))

    assert (answer.status, answer.error["code"]) == (403, -31403)
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize(("generation", "status"), [("older", 200), ("stateless", 400)])
def test_an_unknown_tool_and_malformed_params_are_told_as_the_generation_says(
    cast: Cast, door: Door, generation: str, status: int
) -> None:
    for params in ({"name": "nothing"}, {"name": "whoami", "arguments": []}):
        if generation == "older":
            answer = send(door, message("tools/call", params), legacy_headers(cast.ben.key))
        else:
            headers = modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": str(params["name"])})
            answer = send(door, modern("tools/call", dict(params)), headers)
        assert (answer.status, answer.error["code"]) == (status, -32602)


def test_a_name_that_is_no_string_is_malformed(cast: Cast, door: Door) -> None:
    answer = send(door, message("tools/call", {"name": 4}), legacy_headers(cast.ben.key))

    assert (answer.status, answer.error["code"]) == (200, -32602)
