"""Who calls a plain HTTP route: keys in one header, and the session of staff who browse."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from credentials.authentication import cached, resolve
from credentials.models import ApiKey
from ground.invalidation import announce
from identity.models import Membership, Role
from tests.cast import Cast, Person
from tests.queries import counted_queries

ROUTE = "/api/departments"
REFUSED = {"error": "Invalid or expired credential"}


def _client(**headers: str) -> Client:
    return Client(headers={"host": "127.0.0.1", **headers})


def _browser(person: Person, **headers: str) -> Client:
    person.user.is_staff = True
    person.user.save()
    client = _client(**headers)
    client.force_login(person.user)
    return client


@pytest.mark.parametrize("prefix", ["Bearer ", "bearer "])
def test_a_key_comes_in_either_header(cast: Cast, prefix: str) -> None:
    answers = [
        _client(authorization=prefix + cast.ben.key).get(ROUTE),
        _client(**{"x-api-key": cast.ben.key}).get(ROUTE),
    ]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0]["X-RateLimit-Limit"] == "120"


def test_both_headers_at_once_are_refused(cast: Cast) -> None:
    headers = {"authorization": f"Bearer {cast.ben.key}", "x-api-key": cast.ben.key}

    response = _client(**headers).get(ROUTE)

    assert (response.status_code, response.json()) == (401, REFUSED)
    assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("name", ["api_key", "apiKey", "key", "token", "access_token"])
def test_a_key_in_the_address_is_refused_even_beside_a_good_one(cast: Cast, name: str) -> None:
    alone = _client().get(ROUTE, {name: cast.ben.key})
    beside = _client(authorization=f"Bearer {cast.ben.key}").get(ROUTE, {name: cast.ben.key})

    assert [alone.status_code, beside.status_code] == [401, 401]
    assert cast.ben.key not in alone.content.decode()


def test_staff_browse_with_their_session(cast: Cast) -> None:
    response = _browser(cast.ana).get(ROUTE)

    assert response.status_code == 200
    assert {department["slug"] for department in response.json()["departments"]} == {"sales", "support"}


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://127.0.0.1", 200), ("http://evil.example", 401), ("null", 401), ("https://127.0.0.1", 401)],
)
def test_a_session_counts_for_the_own_origin_alone(cast: Cast, origin: str, status: int) -> None:
    assert _browser(cast.ana, origin=origin).get(ROUTE).status_code == status


def test_a_session_writes_with_the_csrf_token_alone(cast: Cast) -> None:
    client = Client(headers={"host": "127.0.0.1"}, enforce_csrf_checks=True)
    cast.ana.user.is_staff = True
    cast.ana.user.save()
    client.force_login(cast.ana.user)

    response = client.patch("/api/agents/none", {"name": "x"}, content_type="application/json")

    assert response.status_code == 403


def test_a_person_who_is_no_staff_has_no_session_here(cast: Cast) -> None:
    client = _browser(cast.ben)
    cast.ben.user.is_staff = False
    cast.ben.user.save()

    assert client.get(ROUTE).status_code == 401


def test_who_belongs_to_two_tenants_chooses_one(cast: Cast) -> None:
    role = Role.objects.get(tenant=cast.other_tenant, slug="owner")
    Membership.objects.create(tenant=cast.other_tenant, user=cast.ana.user, role=role)
    client = _browser(cast.ana)
    before = client.get(ROUTE).status_code

    client.post(f"/admin/identity/tenant/{cast.other_tenant.pk}/choose/")

    assert (before, client.get(ROUTE).json()["departments"]) == (401, [])


def test_a_cookie_opens_nothing_of_the_mcp_endpoint(cast: Cast) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}

    response = _browser(cast.ana).post("/api/mcp", body, content_type="application/json")

    assert response.status_code in (401, 404)  # 404: the endpoint stands before Django


def test_a_key_that_was_just_used_is_known_without_the_database(cast: Cast) -> None:
    principal = resolve(cast.ben.key)

    with counted_queries() as seen:
        assert cached(cast.ben.key) is principal

    assert seen == []


def test_a_kept_key_ends_with_its_date(cast: Cast) -> None:
    key = cast.ben.issue(["*"], expires_at=timezone.now() + timedelta(seconds=0.3))
    assert resolve(key).user_id == cast.ben.user.pk
    ended = ApiKey.objects.get(owner=cast.ben.user).expires_at

    while timezone.now() <= ended:
        pass

    assert cached(key) is None
    assert _client(authorization=f"Bearer {key}").get(ROUTE).status_code == 401


def test_the_last_use_is_written_once_a_minute(cast: Cast) -> None:
    resolve(cast.ben.key)
    rows = ApiKey.objects.filter(owner=cast.ben.user)
    lately = timezone.now() - timedelta(seconds=50)
    rows.update(last_used_at=lately)
    _forget(cast)
    resolve(cast.ben.key)
    kept = rows.get().last_used_at
    rows.update(last_used_at=lately - timedelta(seconds=20))
    _forget(cast)

    resolve(cast.ben.key)

    assert kept == lately
    assert rows.get().last_used_at > lately


def _forget(cast: Cast) -> None:
    announce("credentials", cast.tenant.pk)
