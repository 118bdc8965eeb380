"""The principal: what the database says now, in three queries."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from ground.errors import Unauthenticated
from identity.models import Department, Grant
from identity.principal import API_KEY, EVERY_SCOPE, Credential, GrantFact, Principal
from identity.rights import principal_of
from tests.cast import Cast
from tests.queries import counted_queries


def credential(*departments: Department, scopes: frozenset[str] = EVERY_SCOPE, narrowed: bool = False) -> Credential:
    chosen = frozenset(department.id for department in departments) if departments or narrowed else None
    return Credential(API_KEY, "k", "key", scopes, departments=chosen)


def principal(cast: Cast, name: str, shown: Credential | None = None) -> Principal:
    return principal_of(cast.tenant.id, getattr(cast, name).user.id, shown or credential())


def grant(cast: Cast, **facts: object) -> None:
    filled = {"permission": "agents:execute", "object_type": "agent", "object_id": "helper"} | facts
    Grant.objects.create(tenant=cast.tenant, **filled)


def test_a_principal_costs_three_queries_however_much_it_holds(cast: Cast) -> None:
    for number in range(20):
        grant(cast, user=cast.ben.user, object_id=f"agent-{number}")
        cast.ben.membership.departments.add(Department.objects.create(tenant=cast.tenant, slug=f"d{number}", name="x"))

    with counted_queries() as seen:
        found = principal(cast, "ben")

    assert len(seen) == 3
    assert (len(found.grants), len(found.department_ids)) == (20, 21)


def test_a_principal_says_who_and_where(cast: Cast) -> None:
    found = principal(cast, "ben")

    assert (found.tenant_id, found.tenant_slug, found.tenant_name) == (cast.tenant.id, cast.tenant.slug, "North")
    assert (found.user_id, found.user_name, found.user_email) == (cast.ben.user.id, "Ben", cast.ben.user.email)
    assert (found.role, found.membership_id) == ("member", cast.ben.membership.id)
    assert found.resource_id == str(cast.ben.user.id)
    assert found.permissions == frozenset(cast.roles["member"].permissions)


def leaves(cast: Cast) -> None:
    cast.ben.membership.delete()


def is_off_in_the_tenant(cast: Cast) -> None:
    cast.ben.membership.is_active = False
    cast.ben.membership.save()


def is_off(cast: Cast) -> None:
    cast.ben.user.is_active = False
    cast.ben.user.save()


def is_closed(cast: Cast) -> None:
    cast.tenant.is_active = False
    cast.tenant.save()


@pytest.mark.parametrize("happens", [leaves, is_off_in_the_tenant, is_off, is_closed])
def test_who_is_gone_has_no_principal(cast: Cast, happens: Callable[[Cast], None]) -> None:
    happens(cast)

    with pytest.raises(Unauthenticated) as refused:
        principal(cast, "ben")
    assert refused.value.sentence == "Invalid or expired credential"


def test_a_member_of_one_tenant_has_no_principal_in_another(cast: Cast) -> None:
    for tenant_id in (cast.other_tenant.id, uuid4()):
        with pytest.raises(Unauthenticated):
            principal_of(tenant_id, cast.ben.user.id, credential())


def test_grants_come_by_user_role_and_department_and_from_the_own_tenant_alone(cast: Cast) -> None:
    grant(cast, user=cast.ben.user, object_id="by-user")
    grant(cast, role=cast.roles["member"], object_id="by-role")
    grant(cast, department=cast.sales, object_id="by-department")
    grant(cast, user=cast.bea.user, object_id="of-bea")
    grant(cast, role=cast.roles["viewer"], object_id="of-viewers")
    grant(cast, department=cast.support, object_id="of-support")
    Grant.objects.create(
        tenant=cast.other_tenant, user=cast.ben.user, permission="agents:read", object_type="agent", object_id="abroad"
    )

    assert principal(cast, "ben").grants == tuple(
        GrantFact("agents:execute", "agent", name) for name in ("by-department", "by-role", "by-user")
    )
    assert [fact.object_id for fact in principal(cast, "ben", credential(cast.support)).grants] == [
        "by-role",
        "by-user",
    ]


@pytest.mark.parametrize(
    ("name", "chosen", "expected"),
    [
        ("ben", None, ["sales"]),
        ("ben", ["sales"], ["sales"]),
        ("ben", ["support"], []),
        ("ben", ["sales", "support"], ["sales"]),
        ("ben", [], []),
        ("vic", None, []),
        ("vic", ["sales"], []),
        ("ana", ["support"], ["support"]),
        ("adam", ["sales", "support"], ["sales", "support"]),
    ],
)
def test_a_keys_departments_narrow_its_principal(
    cast: Cast, name: str, chosen: list[str] | None, expected: list[str]
) -> None:
    departments = [getattr(cast, slug) for slug in chosen or ()]
    found = principal(cast, name, credential(*departments, narrowed=chosen is not None))

    assert found.department_ids == frozenset(getattr(cast, slug).id for slug in expected)
    assert found.all_departments is (name in ("ana", "adam") and chosen is None)


def test_rights_are_role_and_grants_within_the_scopes(cast: Cast) -> None:
    grant(cast, user=cast.vic.user)
    whole = principal(cast, "vic")
    reading = principal(cast, "vic", credential(scopes=frozenset({"mcp:read"})))

    assert (whole.may("agents:read"), whole.may("agents:execute"), whole.opens("agents:execute")) == (True, False, True)
    assert whole.granted_ids("agents:execute", "agent") == frozenset({"helper"})
    assert whole.granted_ids("agents:execute", "workflow") == whole.granted_ids("agents:read", "agent") == frozenset()
    assert (reading.may("agents:read"), reading.opens("agents:execute")) == (True, False)
    assert reading.granted_ids("agents:execute", "agent") == frozenset()


def test_equal_callers_have_equal_keys_of_rights_and_others_have_not(cast: Cast) -> None:
    keys = [
        principal(cast, "ben"),
        principal(cast, "bea"),
        principal(cast, "ben", credential(cast.support)),
        principal(cast, "ben", credential(scopes=frozenset({"mcp:read"}))),
    ]

    assert len({found.rights_key for found in keys}) == 4
    assert principal(cast, "ben").rights_key == keys[0].rights_key
    grant(cast, user=cast.ben.user)
    assert principal(cast, "ben").rights_key != keys[0].rights_key
