"""From headers to a principal: every reason why there is none sounds the same."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from credentials import keys
from credentials.actions import revoke_key
from credentials.authentication import authenticate, presented, resolve
from credentials.models import ApiKey
from ground.errors import Unauthenticated
from ground.invalidation import announce
from tests.cast import Cast


def _bearer(key: str) -> str:
    return f"Bearer {key}"


def test_either_header_carries_a_key(cast: Cast) -> None:
    assert authenticate(_bearer(cast.ben.key), None).user_id == cast.ben.user.pk
    assert authenticate(None, cast.ben.key).user_id == cast.ben.user.pk
    assert authenticate(f"bearer {cast.ben.key}", None).user_id == cast.ben.user.pk


@pytest.mark.parametrize(
    ("authorization", "x_api_key", "in_query"),
    [
        (None, None, False),
        ("", "", False),
        ("Bearer", None, False),
        ("Bearer  ", None, False),
        ("Basic dXNlcjpwYXNz", None, False),
        ("Bearer mcpk_x", "mcpk_x", False),
        (None, "sk-other", False),
        ("Bearer mcpk_x", None, True),
    ],
)
def test_no_credential_or_two_or_one_in_the_address_is_none(
    authorization: str | None, x_api_key: str | None, in_query: bool
) -> None:
    with pytest.raises(Unauthenticated):
        presented(authorization, x_api_key, in_query=in_query)


def _revoked(cast: Cast) -> None:
    revoke_key(cast.ana.principal, ApiKey.objects.get(owner=cast.ben.user))


def _expired(cast: Cast) -> None:
    ApiKey.objects.filter(owner=cast.ben.user).update(expires_at=timezone.now() - timedelta(seconds=1))


def _inactive_user(cast: Cast) -> None:
    cast.ben.user.is_active = False
    cast.ben.user.save()


def _inactive_member(cast: Cast) -> None:
    cast.ben.membership.is_active = False
    cast.ben.membership.save()


def _inactive_tenant(cast: Cast) -> None:
    cast.tenant.is_active = False
    cast.tenant.save()


def _removed(cast: Cast) -> None:
    ApiKey.objects.filter(owner=cast.ben.user).delete()


REASONS = [_revoked, _expired, _inactive_user, _inactive_member, _inactive_tenant, _removed]


@pytest.mark.parametrize("end", REASONS, ids=lambda end: end.__name__.strip("_"))
def test_a_key_that_opened_opens_no_more(cast: Cast, end: Callable[[Cast], None]) -> None:
    key = cast.ben.key
    resolve(key)

    end(cast)
    announce("credentials", cast.tenant.pk)

    with pytest.raises(Unauthenticated):
        authenticate(_bearer(key), None)


@pytest.mark.parametrize("end", REASONS, ids=lambda end: end.__name__.strip("_"))
def test_every_reason_sounds_like_an_unknown_key(cast: Cast, end: Callable[[Cast], None]) -> None:
    key = cast.ben.key
    end(cast)
    announce("credentials", cast.tenant.pk)

    answers = [
        Client(headers={"host": "127.0.0.1"}).get("/api/departments", headers={"Authorization": _bearer(text)})
        for text in (key, str(keys.generate()), "mcpk_nonsense")
    ]

    assert [answer.status_code for answer in answers] == [401, 401, 401]
    assert len({answer.content for answer in answers}) == 1


def test_a_key_with_another_secret_opens_nothing(cast: Cast) -> None:
    parsed = keys.parse(cast.ben.key)
    assert parsed is not None

    with pytest.raises(Unauthenticated):
        resolve(str(keys.KeyText(parsed.lookup, keys.generate().secret)))


def test_using_a_key_is_noted(cast: Cast) -> None:
    resolve(cast.ben.key)

    used = ApiKey.objects.get(owner=cast.ben.user).last_used_at
    assert used is not None
    assert timezone.now() - used < timedelta(seconds=30)


def test_a_secret_is_not_in_the_database(cast: Cast) -> None:
    parsed = keys.parse(cast.ben.key)
    assert parsed is not None

    assert parsed.secret not in str(ApiKey.objects.filter(owner=cast.ben.user).values().get())
