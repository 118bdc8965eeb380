"""The admin of the MCP surface: a tenant's staff decide for their tenant, and a name that is taken is a form error."""

from typing import Any

import pytest
from django.test import Client

from agents.actions import create_agent
from agents.models import Agent
from credentials.actions import issue_key
from gateway.models import FeaturedAgent, FeaturedWorkflow, McpSettings
from tests.cast import Cast, Person
from tests.gateway.clients import Door
from tests.workflows.stored import calls, store

PAGES = ("mcpsettings", "featuredagent", "featuredworkflow", "routerkey")
SETTINGS, FEATURED, FEATURED_WORKFLOWS, ROUTERS = (f"/admin/gateway/{name}/" for name in PAGES)


def signed_in(person: Person) -> Client:
    """A browser in which this person, a member of staff, is signed in."""
    person.user.is_staff = True
    person.user.save()
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(person.user)
    return client


def errors_of(response: Any) -> dict[str, list[str]]:
    """What the form says is wrong."""
    return {name: list(said) for name, said in response.context["adminform"].form.errors.items()}


def settings_of(**changes: Any) -> dict[str, Any]:
    return {"enum_limit": "25", "wait_seconds": "", **changes}


def test_staff_narrow_their_tenant_s_surface(cast: Cast, door: Door) -> None:
    before = door.names(cast.ben.key)

    response = signed_in(cast.ana).post(SETTINGS + "add/", settings_of(read_only="on", toolsets=["agents"]))

    assert response.status_code == 302
    row = McpSettings.objects.get(tenant=cast.tenant)
    assert (row.read_only, row.toolsets, row.enum_limit, row.wait_seconds) == (True, ["agents"], 25, None)
    assert "department_list" in before
    assert door.names(cast.ben.key) == ["whoami", "get_context", "agent_list", "agent_get"]


@pytest.mark.parametrize("changes", [{"enum_limit": "201"}, {"toolsets": ["no_such"]}, {"wait_seconds": "0"}])
def test_settings_outside_their_limits_are_form_errors(cast: Cast, changes: dict[str, Any]) -> None:
    response = signed_in(cast.ana).post(SETTINGS + "add/", settings_of(**changes))

    assert list(errors_of(response)) == list(changes)
    assert not McpSettings.objects.filter(tenant=cast.tenant).exists()


def test_staff_see_and_change_their_tenant_alone(cast: Cast) -> None:
    foreign = McpSettings.objects.create(tenant=cast.other_tenant)
    client = signed_in(cast.ana)

    listed = client.get(SETTINGS)
    opened = client.get(f"{SETTINGS}{foreign.pk}/change/")
    client.post(SETTINGS + "add/", {**settings_of(), "tenant": str(cast.other_tenant.id), "read_only": "on"})

    assert str(foreign.pk) not in listed.content.decode()
    assert opened.status_code == 302
    assert McpSettings.objects.get(tenant=cast.other_tenant).read_only is False
    assert McpSettings.objects.get(tenant=cast.tenant).read_only is True


def test_a_tenant_has_its_settings_once(cast: Cast) -> None:
    client = signed_in(cast.ana)
    client.post(SETTINGS + "add/", settings_of())

    again = client.post(SETTINGS + "add/", settings_of())

    assert errors_of(again) == {"__all__": ["Your tenant has settings already; change those."]}
    assert McpSettings.objects.filter(tenant=cast.tenant).count() == 1


def test_a_superuser_chooses_the_tenant(cast: Cast) -> None:
    cast.zoe.user.is_superuser = True
    client = signed_in(cast.zoe)

    made = client.post(SETTINGS + "add/", settings_of(tenant=str(cast.tenant.id)))
    again = client.post(SETTINGS + "add/", settings_of(tenant=str(cast.tenant.id)))

    assert made.status_code == 302
    assert list(errors_of(again)) == ["tenant"]


@pytest.mark.parametrize("name", ["olga", "ben", "vic"])
def test_staff_who_run_nothing_see_nothing(cast: Cast, name: str) -> None:
    assert signed_in(getattr(cast, name)).get(SETTINGS).status_code == 403


def test_staff_feature_an_agent(cast: Cast, door: Door, helper: Agent) -> None:
    client = signed_in(cast.adam)

    response = client.post(FEATURED + "add/", {"agent": str(helper.id), "position": "0"})

    assert response.status_code == 302
    assert "agent_helper" in door.names(cast.ben.key)
    assert "agent_helper" in client.get(FEATURED).content.decode()


@pytest.mark.parametrize(
    ("slug", "reason"),
    [
        ("list", "agent_list is the name of a tool of the platform."),
        ("update", "agent_update is the name of a tool of the platform."),
    ],
)
def test_a_name_that_is_taken_is_a_form_error(cast: Cast, slug: str, reason: str) -> None:
    agent = create_agent(cast.ana.principal, slug=slug, name="Taken")

    response = signed_in(cast.ana).post(FEATURED + "add/", {"agent": str(agent.id), "position": "0"})

    assert errors_of(response) == {"agent": [f"This agent cannot be featured: {reason}"]}
    assert not FeaturedAgent.objects.filter(tenant=cast.tenant).exists()


def test_an_agent_of_another_tenant_cannot_be_chosen(cast: Cast) -> None:
    foreign = create_agent(cast.zoe.principal, slug="theirs", name="Theirs")

    response = signed_in(cast.ana).post(FEATURED + "add/", {"agent": str(foreign.id), "position": "0"})

    assert list(errors_of(response)) == ["agent"]
    assert not FeaturedAgent.objects.filter(agent=foreign).exists()


def test_the_page_says_that_a_name_was_shortened(cast: Cast) -> None:
    agent = create_agent(cast.ana.principal, slug="a" * 60, name="Long")
    FeaturedAgent.objects.create(tenant=cast.tenant, agent=agent)

    assert "The name is shortened to fit every client." in signed_in(cast.ana).get(FEATURED).content.decode()


def test_removing_several_at_once_is_felt_too(cast: Cast, door: Door, helper: Agent) -> None:
    featured = FeaturedAgent.objects.create(tenant=cast.tenant, agent=helper)
    assert "agent_helper" in door.names(cast.ben.key)

    signed_in(cast.ana).post(
        FEATURED, {"action": "delete_selected", "_selected_action": [str(featured.pk)], "post": "yes"}
    )

    assert "agent_helper" not in door.names(cast.ben.key)


def test_staff_feature_a_workflow(cast: Cast, door: Door) -> None:
    workflow = store(cast.tenant, "asks", {"steps": [calls("approval")]})
    client = signed_in(cast.adam)

    response = client.post(FEATURED_WORKFLOWS + "add/", {"workflow": str(workflow.pk), "position": "0"})

    assert response.status_code == 302
    assert "workflow_asks" in door.names(cast.ben.key)
    assert "workflow_asks" in client.get(FEATURED_WORKFLOWS).content.decode()


def test_a_workflow_whose_name_is_taken_is_a_form_error(cast: Cast) -> None:
    workflow = store(cast.tenant, "run_get", {"steps": [calls("approval")]})

    response = signed_in(cast.ana).post(FEATURED_WORKFLOWS + "add/", {"workflow": str(workflow.pk), "position": "0"})

    assert errors_of(response) == {
        "workflow": ["This workflow cannot be featured: workflow_run_get is the name of a tool of the platform."]
    }
    assert not FeaturedWorkflow.objects.filter(tenant=cast.tenant).exists()


def test_a_workflow_of_another_tenant_cannot_be_chosen(cast: Cast) -> None:
    foreign = store(cast.other_tenant, "theirs", {"steps": [calls("approval")]})

    response = signed_in(cast.ana).post(FEATURED_WORKFLOWS + "add/", {"workflow": str(foreign.pk), "position": "0"})

    assert list(errors_of(response)) == ["workflow"]
    assert not FeaturedWorkflow.objects.filter(workflow=foreign).exists()


def test_the_page_says_that_a_disabled_workflow_is_not_shown(cast: Cast) -> None:
    workflow = store(cast.tenant, "asks", {"steps": [calls("approval")]}, enabled=False)
    FeaturedWorkflow.objects.create(tenant=cast.tenant, workflow=workflow)

    page = signed_in(cast.ana).get(FEATURED_WORKFLOWS).content.decode()

    assert "Not shown: the workflow is disabled." in page


def test_router_keys_are_shown_with_what_they_save(cast: Cast) -> None:
    issue_key(cast.ana.principal, owner=cast.ana.user, name="Lean", allowlist=["*", "execute_tool"])
    issue_key(cast.ana.principal, owner=cast.ana.user, name="Plain", allowlist=["*"])
    client = signed_in(cast.ana)

    page = client.get(ROUTERS).content.decode()

    assert "Lean" in page
    assert "Plain" not in page
    assert "for 16 tools" in page
    assert client.get(ROUTERS + "add/").status_code == 403
