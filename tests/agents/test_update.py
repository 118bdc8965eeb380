"""PATCH /agents/:agentId."""

from typing import Any
from uuid import uuid4

import pytest

from agents.actions import create_agent, update_agent
from agents.models import PRIVATE, Agent
from ground.errors import NotFound
from ground.invalidation import ProcessCache
from identity.models import Department
from identity.principal import API_KEY, Credential
from identity.rights import principal_of
from tests.agents.grants import grant
from tests.agents.http import generate, get, patch
from tests.cast import Cast

CHANGES = {"name": "Billing 💶 מסמך", "description": None, "enabled": False, "tags": ["a", "b", "a"]}


def test_a_change_is_kept_and_shown(cast: Cast, helper: Agent) -> None:
    answer = patch(cast.adam, "/agents/helper", {**CHANGES, "departmentId": str(cast.sales.id)})

    assert answer.status == 200
    shown = {
        "name": "Billing 💶 מסמך",
        "description": "",
        "enabled": False,
        "tags": ["a", "b"],
        "departmentId": str(cast.sales.id),
    }
    assert answer.body.items() >= shown.items()
    helper.refresh_from_db()
    assert (helper.name, helper.description, helper.tags) == ("Billing 💶 מסמך", None, ["a", "b"])
    assert helper.instructions == "You help with invoices. Invoices are paid within 14 days."


def test_null_takes_the_department_away(cast: Cast, helper: Agent) -> None:
    patch(cast.ana, "/agents/helper", {"departmentId": str(cast.sales.id)})

    assert patch(cast.ana, "/agents/helper", {"departmentId": None}).body["departmentId"] is None


def test_a_dry_run_tells_the_changes_and_makes_none(cast: Cast, helper: Agent) -> None:
    before = Agent.objects.values().get(pk=helper.pk)

    answer = patch(cast.ana, "/agents/helper", {**CHANGES, "departmentId": str(cast.sales.id), "dry_run": True})

    assert answer.body == {
        "dryRun": True,
        "would": {
            "action": "update",
            "target": {"type": "agent", "id": "helper"},
            "changes": {
                "name": {"from": "Helper", "to": "Billing 💶 מסמך"},
                "description": {"from": "Helps with invoices.", "to": None},
                "enabled": {"from": True, "to": False},
                "tags": {"from": [], "to": ["a", "b"]},
                "departmentId": {"from": None, "to": str(cast.sales.id)},
            },
        },
    }
    assert Agent.objects.values().get(pk=helper.pk) == before


def test_a_dry_run_names_only_what_would_differ(cast: Cast, helper: Agent) -> None:
    answer = patch(cast.ana, "/agents/helper?dry_run=true", {"name": "Helper", "enabled": False})

    assert answer.body["would"]["changes"] == {"enabled": {"from": True, "to": False}}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "  "}, "name"),
        ({"name": None}, "name"),
        ({"name": 1}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\u0000b"}, "body"),
        ({"description": "a\u0000b"}, "body"),
        ({"enabled": "yes"}, "enabled"),
        ({"enabled": 1}, "enabled"),
        ({"tags": "a"}, "tags"),
        ({"tags": ["x" * 61]}, "tags.0"),
        ({"tags": ["a"] * 21}, "tags"),
        ({"departmentId": "sales"}, "departmentId"),
        ({"instructions": "new"}, "instructions"),
        ({"id": "other"}, "id"),
        ({"agentId": "other"}, "agentId"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(cast: Cast, helper: Agent, body: dict[str, Any], field: str) -> None:
    answer = patch(cast.ana, "/agents/helper", body)

    assert (answer.status, answer.body["issues"][0]["field"]) == (400, field)
    helper.refresh_from_db()
    assert (helper.name, helper.enabled, helper.tags) == ("Helper", True, [])


def test_a_department_of_nobody_and_one_of_others_are_not_found(cast: Cast, helper: Agent) -> None:
    foreign = Department.objects.create(tenant=cast.other_tenant, slug="x", name="X")

    for department_id in (str(uuid4()), str(foreign.id)):
        answer = patch(cast.ana, "/agents/helper", {"departmentId": department_id})
        assert answer == (404, {"error": f"Department with id {department_id} not found"})


def test_a_key_for_some_departments_moves_no_agent_into_another(cast: Cast, helper: Agent) -> None:
    narrowed = Credential(API_KEY, "k", "k", departments=frozenset({cast.sales.id}))
    principal = principal_of(cast.tenant.id, cast.ana.user.id, narrowed)

    with pytest.raises(NotFound):
        update_agent(principal, "helper", department_id=cast.support.id)
    assert update_agent(principal, "helper", department_id=cast.sales.id).agent.department_id == cast.sales.id


def test_members_may_not_write_and_a_grant_lets_one_do_it(cast: Cast, helper: Agent) -> None:
    create_agent(cast.ana.principal, slug="other", name="Other")
    assert patch(cast.ben, "/agents/helper", {"name": "Ben"}).status == 403

    grant(cast, "agents:write", "helper", user=cast.bea.user)

    assert patch(cast.bea, "/agents/helper", {"name": "Bea"}).status == 200
    assert patch(cast.bea, "/agents/other", {"name": "Bea"}).status == 404


def test_permission_is_checked_before_the_body(cast: Cast, helper: Agent) -> None:
    assert patch(cast.ben, "/agents/helper", {"nonsense": 1}).status == 403


def test_a_private_agent_of_somebody_else_is_not_found(cast: Cast) -> None:
    create_agent(cast.ben.principal, slug="bens", name="Ben's", visibility=PRIVATE)

    assert patch(cast.adam, "/agents/bens", {"name": "Adam's"}).status == 404
    assert patch(cast.ana, "/agents/bens", {"name": "Ana's"}).status == 200


def test_a_change_is_announced_and_a_dry_run_is_not(cast: Cast, helper: Agent) -> None:
    kept: ProcessCache[str, str] = ProcessCache("surface")
    kept.load("list", lambda: "old", lambda _: cast.tenant.id)

    patch(cast.ana, "/agents/helper", {"name": "Helper"})

    assert kept.get("list") is None


def test_an_empty_body_changes_nothing(cast: Cast, helper: Agent) -> None:
    assert patch(cast.ana, "/agents/helper", {}).body == get(cast.ana, "/agents/helper").body


def test_a_disabled_agent_is_still_seen_and_not_called(cast: Cast, helper: Agent) -> None:
    patch(cast.ana, "/agents/helper", {"enabled": False})

    assert get(cast.ben, "/agents/helper").body["enabled"] is False
    assert generate(cast.ben, "helper", messages="hi") == (
        409,
        {"error": "Agent helper is disabled; it can be called again once somebody enables it."},
    )
