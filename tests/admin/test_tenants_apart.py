"""Tenant staff see their own tenant in every page of the admin; a foreign object looks like a missing one."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from agents.actions import create_agent
from agents.models import Agent
from credentials.models import ApiKey
from directory.staff import TenantScopedAdmin
from gateway.models import FeaturedAgent, FeaturedWorkflow, McpSettings, RouterKey
from identity.models import Department, Grant, Membership, Role, Tenant, User
from inference.models import ProviderAccount
from receipts import audit
from receipts.models import AuditEntry
from tests.admin.browser import list_of, may_route, page_of, signed_in, superuser
from tests.cast import Cast, Person
from toolbox.models import Tool
from toolbox.rows import ensure_rows
from workflows.actions import start_run
from workflows.models import Workflow, WorkflowRun

FOR_SUPERUSERS = {model for model, page in admin.site._registry.items() if not isinstance(page, TenantScopedAdmin)}
PAGES = sorted(set(admin.site._registry) - FOR_SUPERUSERS, key=lambda model: model._meta.label)


def _key(person: Person) -> ApiKey:
    may_route(person)
    person.issue(["*", "execute_tool"])
    return ApiKey.objects.filter(owner=person.user).latest("created_at")


def _entry(person: Person) -> AuditEntry:
    audit.record(person.principal, door="http", operation="test", outcome="ok", status=200)
    return AuditEntry.objects.filter(tenant_id=person.principal.tenant_id, operation="test").latest("at")


def _featured(person: Person) -> FeaturedAgent:
    return FeaturedAgent.objects.create(tenant=person.membership.tenant, agent=_agent(person))


def _featured_workflow(person: Person) -> FeaturedWorkflow:
    return FeaturedWorkflow.objects.create(tenant=person.membership.tenant, workflow=_workflow(person))


def _tool(person: Person) -> Tool:
    ensure_rows(person.membership.tenant_id)
    return Tool.objects.get(tenant=person.membership.tenant, slug="calculator")


def _agent(person: Person) -> Agent:
    return create_agent(person.principal, slug=f"a-{uuid4().hex[:6]}", name="Helper")


def _grant(person: Person) -> Grant:
    return Grant.objects.create(
        tenant=person.membership.tenant, user=person.user, permission="agents:read", object_type="agent", object_id="x"
    )


def _workflow(person: Person) -> Workflow:
    graph = {"steps": [{"type": "step", "step": {"id": "ask", "function": "approval"}}]}
    slug = f"w-{uuid4().hex[:6]}"
    return Workflow.objects.create(tenant=person.membership.tenant, slug=slug, name="Ask", graph=graph)


def _run(person: Person) -> WorkflowRun:
    return start_run(person.principal, _workflow(person).slug).run


# One row of a person's tenant for every page.
ROWS: dict[Any, Callable[[Person], Any]] = {
    Agent: _agent,
    ApiKey: _key,
    AuditEntry: _entry,
    Department: lambda person: Department.objects.create(tenant=person.membership.tenant, slug="it", name="IT"),
    FeaturedAgent: _featured,
    FeaturedWorkflow: _featured_workflow,
    Grant: _grant,
    McpSettings: lambda person: McpSettings.objects.create(tenant=person.membership.tenant),
    Membership: lambda person: person.membership,
    Role: lambda person: person.membership.role,
    RouterKey: lambda person: RouterKey.objects.get(pk=_key(person).pk),
    Tenant: lambda person: person.membership.tenant,
    Tool: _tool,
    Workflow: _workflow,
    WorkflowRun: _run,
}


def test_every_page_is_covered_here() -> None:
    assert set(PAGES) == set(ROWS)
    assert {User, ProviderAccount} <= FOR_SUPERUSERS


@pytest.mark.parametrize("model", PAGES, ids=lambda model: model._meta.label_lower)
def test_a_list_holds_the_own_tenant_alone(cast: Cast, model: Any) -> None:
    own, foreign = ROWS[model](cast.ana), ROWS[model](cast.zoe)

    response = signed_in(cast.ana).get(list_of(model))

    shown = {row.pk for row in response.context["cl"].queryset}
    assert own.pk in shown
    assert foreign.pk not in shown
    assert str(foreign.pk) not in response.content.decode()


@pytest.mark.parametrize("model", PAGES, ids=lambda model: model._meta.label_lower)
@pytest.mark.parametrize("page", ["change", "delete"])
def test_a_foreign_object_looks_like_a_missing_one(cast: Cast, model: Any, page: str) -> None:
    foreign = ROWS[model](cast.zoe)
    missing = model(pk=uuid4() if isinstance(foreign.pk, UUID) else 0)
    client = signed_in(cast.ana)

    answers = [client.get(page_of(foreign, page)), client.get(page_of(missing, page))]

    assert {answer.status_code for answer in answers} <= {302, 403}
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].get("Location") == answers[1].get("Location")
    assert _said(signed_in(cast.ana), foreign) == _said(signed_in(cast.ana), missing)


def _said(client: Client, obj: Any) -> list[str]:
    """The messages after opening the object's page, with its id left out."""
    response = client.get(page_of(obj), follow=True)
    if response.context is None:
        return []
    return [str(message).replace(str(obj.pk), "") for message in response.context.get("messages") or ()]


@pytest.mark.parametrize("model", PAGES, ids=lambda model: model._meta.label_lower)
def test_a_foreign_object_cannot_be_deleted_by_hand(cast: Cast, model: Any) -> None:
    foreign = ROWS[model](cast.zoe)
    client = signed_in(cast.ana)

    client.post(page_of(foreign, "delete"), {"post": "yes"})
    client.post(list_of(model), {"action": "delete_selected", "_selected_action": [str(foreign.pk)], "post": "yes"})

    assert model.objects.filter(pk=foreign.pk).exists()


@pytest.mark.parametrize("verb", ["rotate", "revoke"])
def test_a_foreign_key_cannot_be_rotated_or_revoked(cast: Cast, verb: str) -> None:
    foreign = _key(cast.zoe)

    response = signed_in(cast.ana).post(reverse(f"admin:credentials_apikey_{verb}", args=[foreign.pk]))

    assert response.status_code == 404
    foreign.refresh_from_db()
    assert (foreign.state, foreign.replaced_by_id) == ("active", None)


@pytest.mark.parametrize("model", sorted(FOR_SUPERUSERS, key=str), ids=lambda model: model._meta.label_lower)
def test_pages_of_superusers_are_closed_to_staff(cast: Cast, model: Any) -> None:
    client = signed_in(cast.ana)

    assert client.get(list_of(model)).status_code == 403
    assert client.get(list_of(model, "add")).status_code == 403
    assert client.get(reverse("admin:identity_user_change", args=[cast.ben.user.pk])).status_code == 403
    assert f'"{list_of(model)}"' not in client.get(reverse("admin:index")).content.decode()


@pytest.mark.parametrize("name", ["olga", "ben", "vic"])
def test_staff_who_run_nothing_find_every_list_closed(cast: Cast, name: str) -> None:
    client = signed_in(getattr(cast, name))

    assert {client.get(list_of(model)).status_code for model in admin.site._registry} == {403}


def test_staff_of_two_tenants_run_neither(cast: Cast) -> None:
    role = Role.objects.get(tenant=cast.other_tenant, slug="owner")
    Membership.objects.create(tenant=cast.other_tenant, user=cast.ana.user, role=role)

    assert signed_in(cast.ana).get(list_of(Department)).status_code == 403


def test_a_superuser_opens_every_list(cast: Cast) -> None:
    client = superuser(cast.tenant.slug)

    assert {client.get(list_of(model)).status_code for model in admin.site._registry} == {200}


def test_somebody_who_is_no_staff_is_sent_to_the_login(cast: Cast) -> None:
    client = signed_in(cast.ben)
    cast.ben.user.is_staff = False
    cast.ben.user.save()

    response = client.get(list_of(Department))

    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")
