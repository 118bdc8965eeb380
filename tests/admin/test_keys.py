"""Keys in the admin: the secret is shown once, and what a key may do stays below its issuer's rights."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from credentials.actions import issue_key, revoke_key
from credentials.authentication import resolve
from credentials.models import ApiKey
from ground.errors import Unauthenticated
from receipts.models import AuditEntry
from tests.admin.browser import errors_of, list_of, may_route, page_of, sentences_of, signed_in
from tests.cast import Cast, Person

KEY = re.compile(r"mcpk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}")
SCOPES = ["mcp:read", "mcp:execute", "mcp:write"]


def _form(owner: Person, *allowlist: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": "Laptop", "owner": str(owner.user.pk), "allowlist": "\n".join(allowlist), "scopes": SCOPES,
        "calls_per_minute": "", "burst": "", "concurrent_calls": "", "expires_at_0": "", "expires_at_1": "", **changes,
    }  # fmt: skip


def _issued(client: Client, owner: Person, *allowlist: str, **changes: Any) -> tuple[Any, str]:
    response = client.post(list_of(ApiKey, "add"), _form(owner, *allowlist, **changes))
    assert response.status_code == 200, response.get("Location")
    [secret] = set(KEY.findall(response.content.decode()))
    return response, secret


def _newest(cast: Cast) -> ApiKey:
    return ApiKey.objects.filter(tenant=cast.tenant).latest("created_at")


def test_a_secret_is_shown_once_and_is_nowhere_else(cast: Cast) -> None:
    client = signed_in(cast.ana)

    response, secret = _issued(client, cast.ben, "*")

    key = _newest(cast)
    assert "no-store" in response["Cache-Control"].split(", ")
    assert resolve(secret).user_id == cast.ben.user.pk
    assert secret not in str(dict(client.session.items()))
    assert secret not in "".join(cookie.value for cookie in client.cookies.values())
    for address in (page_of(key), list_of(ApiKey), reverse("admin:index"), list_of(AuditEntry)):
        assert not KEY.search(client.get(address).content.decode())
    assert secret not in str(ApiKey.objects.filter(pk=key.pk).values().get())
    assert not AuditEntry.objects.filter(tenant_id=cast.tenant.pk, object_id__contains=secret).exists()


def test_a_key_lives_ninety_days_unless_told_otherwise(cast: Cast) -> None:
    _issued(signed_in(cast.ana), cast.ben, "*")

    left = _newest(cast).expires_at - timezone.now()

    assert timedelta(days=89, hours=23) < left <= timedelta(days=90)


def test_an_unknown_tool_is_a_form_error_that_names_the_nearest(cast: Cast) -> None:
    response = signed_in(cast.ana).post(list_of(ApiKey, "add"), _form(cast.ben, "agent_lst"))

    assert sentences_of(response) == ["There is no tool 'agent_lst'; did you mean agent_list?"]
    assert not ApiKey.objects.filter(tenant=cast.tenant).exists()


def test_an_old_name_is_accepted_and_opens_the_tool_of_today(cast: Cast) -> None:
    _, secret = _issued(signed_in(cast.ana), cast.ben, "list_departments")

    assert resolve(secret).credential.allowlist == {"department_list"}


def test_an_admin_issues_no_key_for_an_owner(cast: Cast) -> None:
    response = signed_in(cast.adam).post(list_of(ApiKey, "add"), _form(cast.ana, "*"))

    assert len(sentences_of(response)) == 1
    assert not ApiKey.objects.filter(tenant=cast.tenant).exists()


def test_a_key_belongs_to_a_member(cast: Cast) -> None:
    response = signed_in(cast.ana).post(list_of(ApiKey, "add"), _form(cast.zoe, "*"))

    assert list(errors_of(response)) == ["owner"]
    assert not ApiKey.objects.filter(owner=cast.zoe.user).exists()


def test_a_key_is_narrowed_to_departments_of_its_owner(cast: Cast) -> None:
    response = signed_in(cast.ana).post(
        list_of(ApiKey, "add"), _form(cast.ben, "*", departments=[str(cast.support.pk)])
    )

    assert sentences_of(response) == ["The owner is not in the department Support."]


def test_router_keys_need_a_permission_of_their_own(cast: Cast) -> None:
    response = signed_in(cast.adam).post(list_of(ApiKey, "add"), _form(cast.ben, "*", router="on"))

    assert len(sentences_of(response)) == 1
    assert not ApiKey.objects.filter(tenant=cast.tenant).exists()


@pytest.mark.parametrize("spelling", ["execute_tool", "*"])
def test_the_router_s_permission_cannot_be_walked_around(cast: Cast, spelling: str) -> None:
    response = signed_in(cast.adam).post(list_of(ApiKey, "add"), _form(cast.ben, spelling))

    if response.status_code == 200 and KEY.search(response.content.decode()):
        assert _newest(cast).is_router is False
    assert not ApiKey.objects.filter(tenant=cast.tenant, allowlist__contains=["execute_tool"]).exists()


def test_whoever_may_issue_router_keys_does(cast: Cast) -> None:
    may_route(cast.ana)

    _, secret = _issued(signed_in(cast.ana), cast.ben, "*", router="on")

    assert resolve(secret).credential.router is True


def test_a_rotated_key_works_another_day(cast: Cast) -> None:
    client = signed_in(cast.ana)
    _, old = _issued(client, cast.ben, "agent_*")
    key = _newest(cast)

    response = client.post(page_of(key, "rotate"))

    [new] = set(KEY.findall(response.content.decode()))
    assert "no-store" in response["Cache-Control"].split(", ")
    assert new != old
    assert resolve(new).credential.allowlist == resolve(old).credential.allowlist == {"agent_*"}
    key.refresh_from_db()
    assert timedelta(hours=23, minutes=59) < key.expires_at - timezone.now() <= timedelta(hours=24)
    assert key.replaced_by == _newest(cast)
    assert not KEY.search(client.get(page_of(key)).content.decode())


def test_a_key_is_rotated_once(cast: Cast) -> None:
    client = signed_in(cast.ana)
    _issued(client, cast.ben, "*")
    key = _newest(cast)
    client.post(page_of(key, "rotate"))

    response = client.post(page_of(key, "rotate"), follow=True)

    assert "Only an active key that was not rotated before can be rotated" in response.content.decode()
    assert ApiKey.objects.filter(tenant=cast.tenant).count() == 2


def test_a_revoked_key_ends_at_once(cast: Cast) -> None:
    client = signed_in(cast.ana)
    _, secret = _issued(client, cast.ben, "*")
    resolve(secret)

    response = client.post(page_of(_newest(cast), "revoke"))

    assert response.status_code == 302
    with pytest.raises(Unauthenticated):
        resolve(secret)


def test_several_keys_are_revoked_at_once_and_foreign_ones_stay(cast: Cast) -> None:
    foreign, secret = issue_key(cast.zoe.principal, owner=cast.zoe.user, name="theirs", allowlist=["*"])
    own = issue_key(cast.ana.principal, owner=cast.ben.user, name="ours", allowlist=["*"])[0]

    signed_in(cast.ana).post(
        list_of(ApiKey), {"action": "revoke_chosen", "_selected_action": [str(own.pk), str(foreign.pk)]}
    )

    own.refresh_from_db()
    assert own.state == "revoked"
    assert resolve(secret).user_id == cast.zoe.user.pk


@pytest.mark.parametrize("verb", ["rotate", "revoke"])
def test_looking_at_an_address_changes_nothing(cast: Cast, verb: str) -> None:
    key = issue_key(cast.ana.principal, owner=cast.ben.user, name="ours", allowlist=["*"])[0]

    assert signed_in(cast.ana).get(page_of(key, verb)).status_code == 405
    key.refresh_from_db()
    assert (key.state, key.replaced_by_id) == ("active", None)


def test_a_changed_key_is_felt_at_once(cast: Cast) -> None:
    client = signed_in(cast.ana)
    _, secret = _issued(client, cast.ben, "*")
    resolve(secret)
    ends = timezone.now() + timedelta(days=5)
    dates = {"expires_at_0": f"{ends:%Y-%m-%d}", "expires_at_1": f"{ends:%H:%M:%S}"}

    response = client.post(page_of(_newest(cast)), _form(cast.ben, "agent_get", read_only="on", **dates))

    assert response.status_code == 302
    credential = resolve(secret).credential
    assert (credential.allowlist, credential.read_only) == ({"agent_get"}, True)


def test_an_admin_does_not_change_an_owner_s_key(cast: Cast) -> None:
    key = issue_key(cast.ana.principal, owner=cast.ana.user, name="hers", allowlist=["agent_list"])[0]

    response = signed_in(cast.adam).post(page_of(key), _form(cast.ana, "*"))

    assert len(sentences_of(response)) == 1
    key.refresh_from_db()
    assert key.allowlist == ["agent_list"]


def test_the_form_counts_what_a_list_reaches(cast: Cast) -> None:
    client = signed_in(cast.ana)
    asked = {"entries": "department_*", "owner": str(cast.ben.user.pk)}

    found = client.get(reverse("admin:credentials_apikey_reach"), asked).json()

    assert (found["count"], found["names"]) == (1, ["department_list"])
    assert min(found["routed"], found["listed"]) > 0


def test_the_count_tells_nothing_of_another_tenant(cast: Cast) -> None:
    asked = {"entries": "*", "owner": str(cast.zoe.user.pk), "tenant": str(cast.other_tenant.pk)}

    found = signed_in(cast.ana).get(reverse("admin:credentials_apikey_reach"), asked).json()

    assert sorted(found) == ["count", "names", "total"]


def test_several_keys_are_rotated_on_one_page(cast: Cast) -> None:
    old = [issue_key(cast.ana.principal, owner=cast.ben.user, name=name, allowlist=["*"])[0] for name in ("one", "two")]
    foreign = issue_key(cast.zoe.principal, owner=cast.zoe.user, name="theirs", allowlist=["*"])[0]
    chosen = [str(key.pk) for key in (*old, foreign)]

    response = signed_in(cast.ana).post(list_of(ApiKey), {"action": "rotate_chosen", "_selected_action": chosen})

    secrets = set(KEY.findall(response.content.decode()))
    assert {resolve(secret).user_id for secret in secrets} == {cast.ben.user.pk}
    assert len(secrets) == 2
    assert "no-store" in response["Cache-Control"].split(", ")
    assert ApiKey.objects.get(pk=foreign.pk).replaced_by is None


def test_an_admin_does_not_rotate_an_owner_s_key(cast: Cast) -> None:
    key = issue_key(cast.ana.principal, owner=cast.ana.user, name="hers", allowlist=["*"])[0]

    response = signed_in(cast.adam).post(page_of(key, "rotate"), follow=True)

    assert "A key of this owner could do more than you may" in response.content.decode() or (
        "Only an owner issues keys of an owner." in response.content.decode()
    )
    assert ApiKey.objects.filter(tenant=cast.tenant).count() == 1
    refusal = AuditEntry.objects.get(tenant_id=cast.tenant.pk, outcome="refused")
    assert (refusal.operation, refusal.door, refusal.status) == ("rotate key", "admin", 403)


def test_the_owner_of_a_key_stays(cast: Cast) -> None:
    client = signed_in(cast.ana)
    key = issue_key(cast.ana.principal, owner=cast.ben.user, name="his", allowlist=["*"])[0]

    client.post(page_of(key), _form(cast.vic, "*"))

    key.refresh_from_db()
    assert (key.name, key.owner_id) == ("Laptop", cast.ben.user.pk)


def test_ticked_tools_and_written_patterns_are_one_list(cast: Cast) -> None:
    _, secret = _issued(signed_in(cast.ana), cast.ben, "department_*", allowlist_tools=["agent_list", "agent_get"])

    assert resolve(secret).credential.allowlist == {"agent_list", "agent_get", "department_*"}


@pytest.mark.parametrize("limit", ["calls_per_minute", "burst", "concurrent_calls"])
def test_a_limit_of_nothing_is_a_form_error(cast: Cast, limit: str) -> None:
    response = signed_in(cast.ana).post(list_of(ApiKey, "add"), _form(cast.ben, "*", **{limit: "0"}))

    assert list(errors_of(response)) == [limit]


def test_a_date_that_is_over_is_a_form_error(cast: Cast) -> None:
    dates = {"expires_at_0": "2020-01-01", "expires_at_1": "00:00:00"}

    response = signed_in(cast.ana).post(list_of(ApiKey, "add"), _form(cast.ben, "*", **dates))

    assert errors_of(response) == {"expires_at": ["Choose a date in the future; revoke a key to end it now."]}


def test_a_key_that_is_over_is_only_looked_at(cast: Cast) -> None:
    key = issue_key(cast.ana.principal, owner=cast.ben.user, name="ours", allowlist=["*"])[0]
    revoke_key(cast.ana.principal, key)
    client = signed_in(cast.ana)

    page = client.get(page_of(key)).content.decode()

    assert "This key is revoked; it can only be looked at." in page
    assert key.digest not in page
    assert client.post(page_of(key), _form(cast.ben, "*")).status_code == 403
    assert client.post(page_of(key, "delete"), {"post": "yes"}).status_code == 403
