"""Issuing, changing, rotating and revoking keys: nobody gives more than they hold, and what is given stays bounded."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from credentials.actions import change_key, issue_key, revoke_key, rotate_key
from credentials.authentication import resolve
from credentials.models import ApiKey
from ground.errors import Conflict, Forbidden, InvalidInput, Unauthenticated
from ground.invalidation import announce
from identity.models import Department, Grant, Role
from receipts.models import AuditEntry
from tests.cast import Cast


def _made(cast: Cast, **policy: Any) -> tuple[ApiKey, str]:
    return issue_key(cast.ana.principal, **{"owner": cast.ben.user, "name": "test", "allowlist": ["*"], **policy})


def _count(cast: Cast) -> int:
    return ApiKey.objects.filter(tenant=cast.tenant).count()


@pytest.mark.parametrize(
    ("issuer", "owner"), [("adam", "ana"), ("olga", "adam"), ("ben", "olga"), ("vic", "ben"), ("vic", "ana")]
)
def test_nobody_issues_a_key_above_their_own_rights(cast: Cast, issuer: str, owner: str) -> None:
    with pytest.raises(Forbidden):
        issue_key(getattr(cast, issuer).principal, owner=getattr(cast, owner).user, name="test", allowlist=["*"])

    assert _count(cast) == 0


@pytest.mark.parametrize(("issuer", "owner"), [("ana", "adam"), ("adam", "olga"), ("olga", "vic"), ("vic", "vic")])
def test_keys_of_those_who_may_less_are_issued(cast: Cast, issuer: str, owner: str) -> None:
    person = getattr(cast, owner)

    _, secret = issue_key(getattr(cast, issuer).principal, owner=person.user, name="test", allowlist=["*"])

    assert resolve(secret).user_id == person.user.pk


def test_an_admin_with_every_permission_issues_no_key_of_an_owner(cast: Cast) -> None:
    Role.objects.filter(pk=cast.roles["admin"].pk).update(permissions=["*"])

    with pytest.raises(Forbidden, match="Only an owner issues keys of an owner"):
        issue_key(cast.adam.principal, owner=cast.ana.user, name="test", allowlist=["*"])


def test_an_owner_s_grants_count_as_rights(cast: Cast) -> None:
    Grant.objects.create(
        tenant=cast.tenant, user=cast.ben.user, permission="agents:admin", object_type="agent", object_id="x"
    )

    with pytest.raises(Forbidden, match="could do more than you may: agents:admin"):
        issue_key(cast.adam.principal, owner=cast.ben.user, name="test", allowlist=["*"])


@pytest.mark.parametrize("issuer", ["adam", "olga", "zoe"])
def test_a_router_key_needs_its_own_permission_whatever_the_role(cast: Cast, issuer: str) -> None:
    person = getattr(cast, issuer)

    with pytest.raises(Forbidden, match="needs a permission of its own"):
        person.issue(["agent_list", "execute_tool"])

    assert not ApiKey.objects.filter(owner=person.user).exists()


def test_a_key_becomes_no_router_key_without_that_permission(cast: Cast) -> None:
    key, _ = _made(cast)

    with pytest.raises(Forbidden):
        change_key(cast.adam.principal, key, [], allowlist=["*", "execute_tool"])

    key.refresh_from_db()
    assert key.allowlist == ["*"]


def test_a_router_key_is_not_rotated_without_that_permission(cast: Cast) -> None:
    key, _ = _made(cast, allowlist=["*", "execute_tool"])

    with pytest.raises(Forbidden):
        rotate_key(cast.adam.principal, key)

    assert _count(cast) == 1


def test_a_router_key_ends_some_day(cast: Cast) -> None:
    with pytest.raises(InvalidInput, match="A router key needs a date on which it expires"):
        _made(cast, allowlist=["*", "execute_tool"], never_expires=True)

    key, _ = _made(cast, allowlist=["*", "execute_tool"])
    with pytest.raises(InvalidInput, match="A router key needs a date on which it expires"):
        change_key(cast.ana.principal, key, [], expires_at=None)


@pytest.mark.parametrize(
    "policy",
    [
        {"expires_at": timezone.now() - timedelta(days=1)},
        {"scopes": []},
        {"scopes": ["agents:fly"]},
        {"allowlist": ["agent_lst"]},
        {"allowlist": ["execute_*"]},
        {"allowlist": ["a*"]},
    ],
)
def test_what_means_nothing_is_refused(cast: Cast, policy: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        _made(cast, **policy)

    assert _count(cast) == 0


def test_an_entry_whose_tool_is_gone_does_not_stop_a_change(cast: Cast) -> None:
    key, _ = _made(cast)
    ApiKey.objects.filter(pk=key.pk).update(allowlist=["agent_gone", "agent_list"])

    changed = change_key(cast.ana.principal, key, [], allowlist=["agent_gone"])

    assert changed.allowlist == ["agent_gone"]


def test_a_key_stays_narrow_when_its_departments_are_gone(cast: Cast) -> None:
    legal = Department.objects.create(tenant=cast.tenant, slug="legal", name="Legal")
    _, secret = _made(cast, owner=cast.ana.user, departments=[legal])
    assert resolve(secret).department_ids == {legal.pk}

    legal.delete()
    announce("rights", cast.tenant.pk)

    principal = resolve(secret)
    assert (principal.department_ids, principal.all_departments) == (frozenset(), False)


def test_the_same_policy_has_another_secret_after_rotation(cast: Cast) -> None:
    limits = {"calls_per_minute": 7, "burst": 3, "concurrent_calls": 2}
    key, old = _made(
        cast, allowlist=["agent_*"], scopes=["mcp:read"], departments=[cast.sales], read_only=True, **limits
    )

    fresh, new = rotate_key(cast.ana.principal, key)

    before, after = resolve(old).credential, resolve(new).credential
    assert (before.id, after.id) == (key.lookup, fresh.lookup)
    for fact in ("allowlist", "scopes", "departments", "read_only", *limits):
        assert getattr(after, fact) == getattr(before, fact)


def test_the_old_key_ends_after_the_overlap(cast: Cast) -> None:
    key, old = _made(cast)
    rotate_key(cast.ana.principal, key)

    key.refresh_from_db()
    assert timedelta(hours=23, minutes=59) < key.expires_at - timezone.now() <= timedelta(hours=24)
    ApiKey.objects.filter(pk=key.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    announce("credentials", cast.tenant.pk)

    with pytest.raises(Unauthenticated):
        resolve(old)


def test_rotation_lengthens_no_life(cast: Cast) -> None:
    soon = timezone.now() + timedelta(hours=1)
    key, _ = _made(cast, expires_at=soon)

    rotate_key(cast.ana.principal, key)

    key.refresh_from_db()
    assert key.expires_at == soon


def test_revoking_is_for_ever(cast: Cast) -> None:
    key, secret = _made(cast)
    first = revoke_key(cast.ana.principal, key).revoked_at

    revoke_key(cast.ana.principal, key)

    key.refresh_from_db()
    assert key.revoked_at == first
    for change in (
        lambda: change_key(cast.ana.principal, key, [], name="x"),
        lambda: rotate_key(cast.ana.principal, key),
    ):
        with pytest.raises(Conflict):
            change()
    with pytest.raises(Unauthenticated):
        resolve(secret)


def test_a_key_of_another_tenant_is_none(cast: Cast) -> None:
    foreign, secret = issue_key(cast.zoe.principal, owner=cast.zoe.user, name="theirs", allowlist=["*"])

    revoke_key(cast.ana.principal, foreign)
    for change in (change_key, rotate_key):
        with pytest.raises(ApiKey.DoesNotExist):
            change(cast.ana.principal, foreign, *([[]] if change is change_key else []))

    assert resolve(secret).user_id == cast.zoe.user.pk


def test_every_step_of_a_key_stands_in_the_audit(cast: Cast) -> None:
    key, _ = _made(cast)
    change_key(cast.ana.principal, key, [], name="renamed", read_only=True)
    fresh, _ = rotate_key(cast.ana.principal, key)
    revoke_key(cast.ana.principal, fresh)

    entries = AuditEntry.objects.filter(tenant_id=cast.tenant.pk, object_type="key").order_by("at", "id")
    assert [(entry.operation, entry.object_id, entry.changed) for entry in entries] == [
        ("issue key", key.lookup, []),
        ("change key", key.lookup, ["name", "read_only"]),
        ("rotate key", key.lookup, []),
        ("issue key", fresh.lookup, []),
        ("revoke key", fresh.lookup, []),
    ]


def test_a_key_is_named_without_its_secret(cast: Cast) -> None:
    key, secret = _made(cast)

    assert str(key) == f"test ({key.lookup})"
    assert key.digest not in repr(key)
    assert secret.split("_")[2] not in repr(key.__dict__)
