"""Nobody gives in the admin what exceeds their own rights: it is a form error, and nothing has changed."""

from typing import Any

import pytest

from agents.actions import create_agent
from identity.models import Grant, Membership, Role
from tests.admin.browser import list_of, page_of, sentences_of, signed_in
from tests.cast import Cast, Person, make_person

LAST_OWNER = "A tenant needs an active owner; make somebody else owner first."


def _membership(person: Person, role: Role, **changes: Any) -> dict[str, Any]:
    departments = [str(pk) for pk in person.membership.departments.values_list("pk", flat=True)]
    return {"role": str(role.pk), "departments": departments, "is_active": "on", **changes}


def _role_of(person: Person) -> str:
    return Membership.objects.get(pk=person.membership.pk).role.slug


def test_an_admin_makes_nobody_owner(cast: Cast) -> None:
    response = signed_in(cast.adam).post(page_of(cast.ben.membership), _membership(cast.ben, cast.roles["owner"]))

    sentence = sentences_of(response)[0]
    assert sentence.startswith("That would give more than you may do yourself: ")
    assert _role_of(cast.ben) == "member"


def test_an_admin_does_not_demote_an_owner(cast: Cast) -> None:
    make_person(cast.tenant, cast.roles["owner"], "olaf")

    response = signed_in(cast.adam).post(page_of(cast.ana.membership), _membership(cast.ana, cast.roles["viewer"]))

    assert sentences_of(response)
    assert _role_of(cast.ana) == "owner"


def test_an_admin_gives_a_role_below_their_own(cast: Cast) -> None:
    response = signed_in(cast.adam).post(page_of(cast.ben.membership), _membership(cast.ben, cast.roles["operator"]))

    assert response.status_code == 302
    assert _role_of(cast.ben) == "operator"
    assert [d.slug for d in cast.ben.membership.departments.all()] == ["sales"]


def test_a_role_of_another_tenant_cannot_be_chosen(cast: Cast) -> None:
    foreign = Role.objects.get(tenant=cast.other_tenant, slug="viewer")

    response = signed_in(cast.ana).post(page_of(cast.ben.membership), _membership(cast.ben, foreign))

    assert sentences_of(response)
    assert _role_of(cast.ben) == "member"


@pytest.mark.parametrize("changes", [{"role": "viewer"}, {"is_active": ""}])
def test_the_last_owner_stays(cast: Cast, changes: dict[str, str]) -> None:
    role = cast.roles[changes.get("role", "owner")]
    sent = _membership(cast.ana, role)
    if "is_active" in changes:
        del sent["is_active"]

    response = signed_in(cast.ana).post(page_of(cast.ana.membership), sent)

    assert LAST_OWNER in sentences_of(response)
    held = Membership.objects.get(pk=cast.ana.membership.pk)
    assert (held.role.slug, held.is_active) == ("owner", True)


def test_one_of_two_owners_can_be_demoted(cast: Cast) -> None:
    other = make_person(cast.tenant, cast.roles["owner"], "olaf")

    response = signed_in(cast.ana).post(page_of(other.membership), _membership(other, cast.roles["admin"]))

    assert response.status_code == 302
    assert _role_of(other) == "admin"


@pytest.mark.parametrize("ticked", ["memory:admin", "*", "agents:*", "*:admin"])
def test_a_role_s_map_stays_below_the_editor_s_rights(cast: Cast, ticked: str) -> None:
    role = cast.roles["viewer"]

    response = signed_in(cast.adam).post(page_of(role), {"permissions": [ticked]})

    sentence = sentences_of(response)[0]
    assert sentence.startswith("That would give more than you may do yourself: ")
    role.refresh_from_db()
    assert role.permissions == ["*:read", "mcp:execute"]


def test_an_admin_does_not_touch_the_owner_s_map(cast: Cast) -> None:
    response = signed_in(cast.adam).post(page_of(cast.roles["owner"]), {"permissions": ["*:read"]})

    assert sentences_of(response)
    cast.roles["owner"].refresh_from_db()
    assert cast.roles["owner"].permissions == ["*"]


def test_the_owner_s_map_stays_whole(cast: Cast) -> None:
    response = signed_in(cast.ana).post(page_of(cast.roles["owner"]), {"permissions": ["*:read"]})

    assert "The owner's map is always *; without it nobody could mend the others." in sentences_of(response)


def test_a_map_is_ticked(cast: Cast) -> None:
    role = cast.roles["viewer"]

    response = signed_in(cast.ana).post(page_of(role), {"permissions": ["agents:execute", "*:read"]})

    assert response.status_code == 302
    role.refresh_from_db()
    assert role.permissions == ["*:read", "agents:execute"]


def test_an_unknown_permission_is_a_form_error(cast: Cast) -> None:
    response = signed_in(cast.ana).post(page_of(cast.roles["viewer"]), {"permissions": ["agents:fly"]})

    assert "Unknown permissions: agents:fly. Write them as resource:action." in sentences_of(response)


def _grant(person: Person, permission: str) -> dict[str, str]:
    return {
        "user": str(person.user.pk), "role": "", "department": "", "permission": permission, "object_type": "agent",
        "object_id": "helper",
    }  # fmt: skip


def test_a_grant_stays_below_the_giver_s_rights(cast: Cast) -> None:
    response = signed_in(cast.adam).post(list_of(Grant, "add"), _grant(cast.ben, "agents:admin"))

    assert "That would give more than you may do yourself: agents:admin." in sentences_of(response)
    assert not Grant.objects.filter(tenant=cast.tenant).exists()


def test_a_grant_goes_to_members_alone(cast: Cast) -> None:
    response = signed_in(cast.ana).post(list_of(Grant, "add"), _grant(cast.zoe, "agents:write"))

    assert sentences_of(response)
    assert not Grant.objects.filter(user=cast.zoe.user).exists()


def test_a_grant_is_given(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="helper", name="Helper")

    response = signed_in(cast.adam).post(list_of(Grant, "add"), _grant(cast.ben, "agents:write"))

    assert response.status_code == 302
    assert cast.ben.principal.granted_ids("agents:write", "agent") == {"helper"}


@pytest.mark.parametrize(("slug", "object_type"), [("helper", "agent"), ("theirs", "agent"), ("helper", "table")])
def test_what_is_granted_must_be_there_for_the_giver(cast: Cast, slug: str, object_type: str) -> None:
    create_agent(cast.zoe.principal, slug="theirs", name="Theirs")
    sent = {**_grant(cast.ben, "agents:read"), "object_id": slug, "object_type": object_type}

    response = signed_in(cast.ana).post(list_of(Grant, "add"), sent)

    assert sentences_of(response) == [f"{object_type.capitalize()} with id {slug} not found"]
    assert not Grant.objects.filter(tenant=cast.tenant).exists()


def test_an_admin_does_not_grant_what_is_private_to_somebody_else(cast: Cast) -> None:
    create_agent(cast.ben.principal, slug="helper", name="Helper", visibility="private")

    response = signed_in(cast.adam).post(list_of(Grant, "add"), _grant(cast.adam, "agents:read"))

    assert sentences_of(response) == ["Agent with id helper not found"]
    assert cast.adam.principal.granted_ids("agents:read", "agent") == frozenset()


def test_an_admin_with_every_permission_still_makes_no_owner(cast: Cast) -> None:
    Role.objects.filter(pk=cast.roles["admin"].pk).update(permissions=["*"])

    response = signed_in(cast.adam).post(page_of(cast.ben.membership), _membership(cast.ben, cast.roles["owner"]))

    assert sentences_of(response) == ["Only an owner makes, changes or removes an owner."]
    assert _role_of(cast.ben) == "member"


def test_a_grant_has_one_subject(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="helper", name="Helper")
    sent = {**_grant(cast.ben, "agents:read"), "department": str(cast.sales.pk)}

    response = signed_in(cast.ana).post(list_of(Grant, "add"), sent)

    assert "Choose exactly one of user, role and department." in sentences_of(response)
