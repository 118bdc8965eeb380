"""Departments in the admin: what cannot be is said, and nothing has changed."""

from typing import Any

from identity.models import Department
from tests.admin.browser import list_of, sentences_of, signed_in
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
