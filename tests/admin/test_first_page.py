"""The first page and the sidebar: facts of one's own tenant, and only pages that one may open."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents.actions import create_agent
from credentials.actions import issue_key, revoke_key
from identity.models import Department, Membership, Role
from receipts import audit
from tests.admin.browser import list_of, signed_in, superuser
from tests.cast import Cast

FIGURE = re.compile(r'<span class="atrium-figure">(\d+)</span> ([a-z0-9 ]+)')


def _first(client: Client) -> str:
    return client.get(reverse("admin:index")).content.decode()


def test_it_counts_what_is_in_the_own_tenant(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="helper", name="Helper")
    create_agent(cast.zoe.principal, slug="theirs", name="Theirs")
    cast.ben.issue(["*"])
    cast.zoe.issue(["*"])
    revoke_key(cast.ana.principal, issue_key(cast.ana.principal, owner=cast.vic.user, name="x", allowlist=["*"])[0])

    figures = {title: int(count) for count, title in FIGURE.findall(_first(signed_in(cast.ana)))}

    assert figures == {
        "keys that open something": 1,
        "active members": 6,
        "agents that can be called": 1,
        "departments": 2,
        "calls refused in 24 hours": 0,
    }


def test_it_shows_what_was_refused_lately(cast: Cast) -> None:
    for person in (cast.ben, cast.zoe):
        audit.record(
            person.principal, door="mcp", operation="tools/call", tool="agent_update", outcome="refused", status=403
        )

    page = _first(signed_in(cast.adam))

    assert page.count("agent_update</a>") == 1
    assert '<span class="atrium-figure">1</span> calls refused in 24 hours' in page


def test_it_shows_keys_that_end_soon(cast: Cast) -> None:
    soon = timezone.now() + timedelta(days=3)
    for person, name in ((cast.ana, "Ending soon"), (cast.zoe, "Ending elsewhere")):
        issue_key(person.principal, owner=person.user, name=name, allowlist=["*"], expires_at=soon)
    issue_key(cast.ana.principal, owner=cast.ana.user, name="Ending late", allowlist=["*"])

    page = _first(signed_in(cast.ana))

    assert "Ending soon" in page
    assert "Ending elsewhere" not in page
    assert "Ending late" not in page


def test_the_sidebar_has_what_one_may_open(cast: Cast) -> None:
    shown = {
        who: set(re.findall(r'href="(/admin/[a-z_]+/[a-z_]+/)"', _first(client)))
        for who, client in {"staff": signed_in(cast.ana), "superuser": superuser(cast.tenant.slug)}.items()
    }

    assert shown["superuser"] - shown["staff"] == {"/admin/identity/user/", "/admin/inference/provideraccount/"}
    assert {list_of(Department), list_of(Role), list_of(Membership)} <= shown["staff"]


def test_staff_who_run_nothing_are_told_so(cast: Cast) -> None:
    page = _first(signed_in(cast.ben))

    assert "You run no organisation." in page
    assert FIGURE.findall(page) == []


def test_staff_of_two_tenants_choose_and_change(cast: Cast) -> None:
    role = Role.objects.get(tenant=cast.other_tenant, slug="owner")
    Membership.objects.create(tenant=cast.other_tenant, user=cast.ana.user, role=role)
    client = signed_in(cast.ana)
    assert "Which organisation do you want to work in?" in _first(client)

    for tenant in (cast.other_tenant, cast.tenant):
        client.post(reverse("admin:identity_tenant_choose", args=[tenant.pk]))
        rows = client.get(list_of(Membership)).context["cl"].queryset
        assert {row.tenant_id for row in rows} == {tenant.pk}


@pytest.mark.parametrize("name", ["ana", "ben"])
def test_a_tenant_that_one_does_not_run_cannot_be_chosen(cast: Cast, name: str) -> None:
    client = signed_in(getattr(cast, name))
    tenant = cast.other_tenant if name == "ana" else cast.tenant

    assert client.post(reverse("admin:identity_tenant_choose", args=[tenant.pk])).status_code == 404
    assert "tenant_id" not in client.session


def test_signing_in_leads_to_the_first_page(cast: Cast) -> None:
    cast.ana.user.set_password("correct horse battery")
    signed_in(cast.ana)
    client = Client(headers={"host": "127.0.0.1"})
    sent = dict(re.findall(r'name="(next)" value="([^"]*)"', client.get("/admin/login/").content.decode()))

    response = client.post(
        "/admin/login/", {**sent, "username": cast.ana.user.username, "password": "correct horse battery"}
    )

    assert (response.status_code, response["Location"]) == (302, "/admin/")
