"""Agents in the admin: written by the staff of their tenant, felt by callers at once."""

from typing import Any

import pytest

from agents.actions import create_agent
from agents.models import Agent
from identity.models import Role
from receipts.models import AuditEntry
from tests.admin.browser import errors_of, list_of, page_of, signed_in
from tests.agents.http import get
from tests.cast import Cast


def _form(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Helper", "slug": "helper", "description": "Helps.", "tags": "billing, english, billing",
        "model": "offline/demo", "instructions": "You help.", "memory": "on", "department": "",
        "visibility": "public", "enabled": "on", **changes,
    }  # fmt: skip


def test_staff_add_an_agent(cast: Cast) -> None:
    response = signed_in(cast.adam).post(list_of(Agent, "add"), _form())

    assert response.status_code == 302
    agent = Agent.objects.get(tenant=cast.tenant, slug="helper")
    assert (agent.tags, agent.instructions, agent.author_id) == (["billing", "english"], "You help.", cast.adam.user.pk)
    assert get(cast.ben, "/agents/helper").body["name"] == "Helper"


def test_a_change_is_felt_at_once_and_written_down(cast: Cast) -> None:
    agent = create_agent(cast.ana.principal, slug="helper", name="Helper")
    before = get(cast.bea, "/agents/helper").status

    response = signed_in(cast.ana).post(page_of(agent), _form(name="Clerk", department=str(cast.sales.pk)))

    assert response.status_code == 302
    assert (before, get(cast.bea, "/agents/helper").status) == (200, 404)
    assert get(cast.ben, "/agents/helper").body["name"] == "Clerk"
    entry = AuditEntry.objects.get(tenant_id=cast.tenant.pk, operation="save agent")
    assert (entry.door, entry.object_id) == ("admin", "helper")
    assert {"name", "department"} <= set(entry.changed)


def test_an_agent_keeps_the_id_that_callers_know(cast: Cast) -> None:
    agent = create_agent(cast.ana.principal, slug="helper", name="Helper")

    signed_in(cast.ana).post(page_of(agent), _form(slug="other"))

    agent.refresh_from_db()
    assert agent.slug == "helper"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"model": "nobody/nothing"}, "model"),
        ({"tags": "x" * 61}, "tags"),
        ({"tags": ",".join(map(str, range(21)))}, "tags"),
        ({"slug": "not an id"}, "slug"),
    ],
)
def test_what_cannot_be_is_a_form_error(cast: Cast, changes: dict[str, str], field: str) -> None:
    response = signed_in(cast.ana).post(list_of(Agent, "add"), _form(**changes))

    assert list(errors_of(response)) == [field]
    assert not Agent.objects.filter(tenant=cast.tenant).exists()


def test_an_id_is_given_once(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="helper", name="Helper")

    response = signed_in(cast.ana).post(list_of(Agent, "add"), _form())

    assert errors_of(response) == {"slug": ["Another agent has this id."]}
    assert Agent.objects.filter(tenant=cast.tenant).count() == 1


def test_another_tenant_may_have_the_same_id(cast: Cast) -> None:
    create_agent(cast.zoe.principal, slug="helper", name="Theirs")

    assert signed_in(cast.ana).post(list_of(Agent, "add"), _form()).status_code == 302


def test_a_department_of_another_tenant_cannot_be_chosen(cast: Cast) -> None:
    cast.sales.tenant = cast.other_tenant
    cast.sales.save()

    response = signed_in(cast.ana).post(list_of(Agent, "add"), _form(department=str(cast.sales.pk)))

    assert list(errors_of(response)) == ["department"]


def test_a_private_agent_shows_itself_to_its_author_and_the_owner(cast: Cast) -> None:
    secret = create_agent(cast.ben.principal, slug="secret", name="Secret", visibility="private")

    shown = {name: signed_in(getattr(cast, name)).get(page_of(secret)).status_code for name in ("ana", "adam")}

    assert shown == {"ana": 200, "adam": 302}


def test_staff_without_the_permission_look_and_change_nothing(cast: Cast) -> None:
    Role.objects.filter(pk=cast.roles["admin"].pk).update(permissions=["*:read"])
    agent = create_agent(cast.ana.principal, slug="helper", name="Helper")
    client = signed_in(cast.adam)

    assert client.get(page_of(agent)).status_code == 200
    assert client.post(page_of(agent), _form(name="Clerk")).status_code == 403
    assert client.post(page_of(agent, "delete"), {"post": "yes"}).status_code == 403
    assert client.post(list_of(Agent, "add"), _form(slug="other")).status_code == 403
    assert [found.name for found in Agent.objects.filter(tenant=cast.tenant)] == ["Helper"]


def test_a_removed_agent_is_gone_for_callers(cast: Cast) -> None:
    agent = create_agent(cast.ana.principal, slug="helper", name="Helper")
    assert get(cast.ben, "/agents/helper").status == 200

    signed_in(cast.ana).post(page_of(agent, "delete"), {"post": "yes"})

    assert get(cast.ben, "/agents/helper").status == 404
