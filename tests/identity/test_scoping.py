"""Who sees which rows: the whole matrix, as exact sets."""

from typing import Any
from uuid import uuid4

import pytest

from agents.models import PRIVATE, Agent
from conversations.models import Thread
from ground.errors import NotFound
from identity.models import Department, Grant
from identity.principal import API_KEY, Credential, Principal
from identity.rights import principal_of
from tests.cast import Cast
from tests.queries import counted_queries

EVERY = {"all", "sales", "support", "bens", "beas", "vics-in-sales", "nobodys"}


@pytest.fixture
def agents(cast: Cast) -> None:
    """Agents of every kind in ana's tenant, and one with each name in zoe's."""

    def make(slug: str, department: Department | None = None, author: Any = None, **facts: Any) -> None:
        Agent.objects.create(tenant=cast.tenant, slug=slug, name=slug, department=department, author=author, **facts)

    make("all", author=cast.ben.user)
    make("sales", cast.sales)
    make("support", cast.support, cast.ben.user)
    make("bens", author=cast.ben.user, visibility=PRIVATE)
    make("beas", author=cast.bea.user, visibility=PRIVATE)
    make("vics-in-sales", cast.sales, cast.vic.user, visibility=PRIVATE)
    make("nobodys", visibility=PRIVATE)
    for slug in EVERY:
        Agent.objects.create(tenant=cast.other_tenant, slug=slug, name=slug)


def seen(principal: Principal, permission: str | None = None) -> set[str]:
    return set(Agent.objects.visible_to(principal, permission).values_list("slug", flat=True))


def grant(cast: Cast, permission: str, object_id: str, object_type: str = "agent", **subject: Any) -> None:
    Grant.objects.create(
        tenant=cast.tenant, permission=permission, object_type=object_type, object_id=object_id, **subject
    )


PUBLIC = {"all", "sales", "support"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ana", EVERY),
        ("adam", PUBLIC),
        ("olga", {"all", "sales"}),
        ("ben", {"all", "sales", "bens"}),
        ("bea", {"all", "support", "beas"}),
        ("vic", {"all"}),
    ],
)
@pytest.mark.usefixtures("agents")
def test_by_role_department_and_authorship(cast: Cast, name: str, expected: set[str]) -> None:
    principal = getattr(cast, name).principal

    assert seen(principal) == expected
    assert {row.tenant_id for row in Agent.objects.visible_to(principal)} == {cast.tenant.id}


@pytest.mark.usefixtures("agents")
def test_another_tenants_owner_sees_the_own_ones_alone(cast: Cast) -> None:
    found = Agent.objects.visible_to(cast.zoe.principal)

    assert {(row.tenant_id, row.slug) for row in found} == {(cast.other_tenant.id, slug) for slug in EVERY}


@pytest.mark.parametrize(
    ("name", "permission", "expected"),
    [
        ("vic", "agents:execute", set()),
        ("ben", "agents:execute", {"all", "sales", "bens"}),
        ("ben", "agents:write", set()),
        ("adam", "agents:write", PUBLIC),
        ("ana", "agents:write", EVERY),
    ],
)
@pytest.mark.usefixtures("agents")
def test_with_a_permission_of_the_role(cast: Cast, name: str, permission: str, expected: set[str]) -> None:
    assert seen(getattr(cast, name).principal, permission) == expected


@pytest.mark.parametrize("subject", ["user", "role", "department"])
@pytest.mark.usefixtures("agents")
def test_a_grant_adds_one_object_and_takes_none_away(cast: Cast, subject: str) -> None:
    cast.vic.membership.departments.add(cast.support)
    subjects = {"user": cast.vic.user, "role": cast.roles["viewer"], "department": cast.support}
    for slug in ("beas", "sales"):
        grant(cast, "agents:execute", slug, **{subject: subjects[subject]})

    assert seen(cast.vic.principal, "agents:execute") == {"beas", "sales"}
    assert seen(cast.vic.principal) == {"all", "support"}
    assert seen(cast.ben.principal) == {"all", "sales", "bens"}


@pytest.mark.parametrize("pattern", ["agents:read", "agents:*", "*:read", "*"])
@pytest.mark.usefixtures("agents")
def test_a_granted_pattern_is_read_like_a_roles(cast: Cast, pattern: str) -> None:
    grant(cast, pattern, "beas", user=cast.ben.user)

    assert seen(cast.ben.principal) == {"all", "sales", "bens", "beas"}


@pytest.mark.usefixtures("agents")
def test_a_grant_for_another_kind_or_of_another_tenant_opens_nothing(cast: Cast) -> None:
    grant(cast, "agents:read", "beas", "workflow", user=cast.ben.user)
    Grant.objects.create(
        tenant=cast.other_tenant, user=cast.ben.user, permission="*", object_type="agent", object_id="beas"
    )

    assert seen(cast.ben.principal) == {"all", "sales", "bens"}


def by_key(cast: Cast, name: str, *departments: Department, scopes: frozenset[str] | None = None) -> Principal:
    chosen = frozenset(department.id for department in departments) if departments else None
    credential = Credential(API_KEY, "k", "key", scopes or frozenset({"mcp:read"}), departments=chosen)
    return principal_of(cast.tenant.id, getattr(cast, name).user.id, credential)


@pytest.mark.parametrize(
    ("name", "departments", "expected"),
    [
        ("ana", ["support"], {"all", "support", "bens", "beas", "nobodys"}),
        ("adam", ["sales"], {"all", "sales"}),
        ("ben", ["support"], {"all", "bens"}),
        ("ben", ["sales"], {"all", "sales", "bens"}),
        ("vic", ["sales"], {"all"}),
    ],
)
@pytest.mark.usefixtures("agents")
def test_a_key_for_some_departments_sees_those_alone(
    cast: Cast, name: str, departments: list[str], expected: set[str]
) -> None:
    assert seen(by_key(cast, name, *(getattr(cast, slug) for slug in departments))) == expected


@pytest.mark.usefixtures("agents")
def test_a_credential_without_the_scope_sees_nothing_whatever_role_and_grants_say(cast: Cast) -> None:
    grant(cast, "agents:read", "beas", user=cast.ben.user)

    assert seen(by_key(cast, "ben", scopes=frozenset({"mcp:execute"}))) == set()
    assert seen(by_key(cast, "ana", scopes=frozenset({"memory:read"}))) == set()
    assert seen(by_key(cast, "ben", scopes=frozenset({"agents:read"}))) == {"all", "sales", "bens", "beas"}


@pytest.mark.usefixtures("agents")
def test_one_row_is_found_exactly_when_the_list_holds_it(cast: Cast) -> None:
    for name in ("ana", "adam", "olga", "ben", "bea", "vic"):
        principal = getattr(cast, name).principal
        found = set()
        for slug in EVERY:
            try:
                found.add(Agent.objects.get_visible(principal, slug).slug)
            except NotFound:
                continue
        assert found == seen(principal)


@pytest.mark.parametrize("slug", ["beas", "nobody", "", "ALL", " all ", "all\x00", "a" * 500, "%", "él"])
@pytest.mark.usefixtures("agents")
def test_a_row_that_is_hidden_missing_or_impossible_is_not_found_in_one_way(cast: Cast, slug: str) -> None:
    with pytest.raises(NotFound) as refused:
        Agent.objects.get_visible(cast.ben.principal, slug)

    assert refused.value.sentence == f"Agent with id {slug[:200]} not found"


@pytest.mark.parametrize("text", ["", "x", "1", "None", "' OR 1=1", "\x00", str(uuid4())])
def test_an_id_that_can_be_none_is_not_found(cast: Cast, text: str) -> None:
    with pytest.raises(NotFound):
        Department.objects.get_visible(cast.ana.principal, text)


@pytest.mark.parametrize("form", [str, lambda key: str(key).upper(), lambda key: key.hex, lambda key: f"{{{key}}}"])
def test_an_id_is_read_in_every_form_of_it(cast: Cast, form: Any) -> None:
    assert Department.objects.get_visible(cast.ben.principal, form(cast.sales.id)) == cast.sales


def test_a_grant_for_what_can_be_no_id_opens_nothing_and_harms_nobody(cast: Cast) -> None:
    thread = Thread.objects.create(tenant=cast.tenant, thread_id="t", resource_id=str(cast.bea.user.id))
    for object_id in ("no-uuid", str(thread.id).upper()):
        grant(cast, "memory:read", object_id, "thread", user=cast.ben.user)

    assert list(Thread.objects.visible_to(cast.ben.principal)) == [thread]


@pytest.mark.usefixtures("agents")
def test_to_see_and_to_find_cost_one_query_each(cast: Cast) -> None:
    principal = cast.ben.principal

    with counted_queries() as statements:
        seen(principal)
        Agent.objects.get_visible(principal, "all")

    assert len(statements) == 2
