"""Departments in the admin: what cannot be is said, and nothing has changed."""

from typing import Any

from agents.actions import create_agent
from identity.models import Department
from tests.admin.browser import list_of, page_of, sentences_of, signed_in
from tests.cast import Cast


def _form(**changes: Any) -> dict[str, Any]:
    return {"name": "Legal", "slug": "legal", "parent": "", **changes}


def test_staff_add_a_department_to_their_tenant(cast: Cast) -> None:
    response = signed_in(cast.adam).post(list_of(Department, "add"), _form(tenant=str(cast.other_tenant.pk)))

    assert response.status_code == 302
    assert Department.objects.get(slug="legal", tenant__in=(cast.tenant, cast.other_tenant)).tenant == cast.tenant


def test_a_parent_of_another_tenant_cannot_be_chosen(cast: Cast) -> None:
    foreign = Department.objects.create(tenant=cast.other_tenant, slug="theirs", name="Theirs")

    response = signed_in(cast.ana).post(list_of(Department, "add"), _form(parent=str(foreign.pk)))

    assert len(sentences_of(response)) == 1
    assert not Department.objects.filter(tenant=cast.tenant, slug="legal").exists()


def test_a_department_that_objects_belong_to_stays(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="seller", name="Seller", department_id=cast.sales.pk)
    client = signed_in(cast.ana)

    page = client.post(page_of(cast.sales, "delete"), {"post": "yes"}, follow=True).content.decode()
    chosen = {"action": "delete_selected", "_selected_action": [str(cast.sales.pk)], "post": "yes"}
    client.post(list_of(Department), chosen)

    assert "1 agent of Sales would be seen by everybody; move them first." in page
    assert Department.objects.filter(pk=cast.sales.pk).exists()


def test_an_empty_department_goes(cast: Cast) -> None:
    signed_in(cast.ana).post(page_of(cast.support, "delete"), {"post": "yes"})

    assert not Department.objects.filter(pk=cast.support.pk).exists()
