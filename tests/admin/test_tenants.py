"""Tenants: superusers make and end them; their staff look at their own."""

from typing import Any
from uuid import uuid4

import pytest

from credentials.authentication import resolve
from ground.errors import Unauthenticated
from identity.models import Membership, Role, Tenant
from identity.permissions import DEFAULT_ROLE_PERMISSIONS
from receipts.models import AuditEntry
from tests.admin.browser import errors_of, list_of, page_of, signed_in, superuser
from tests.cast import Cast


def _form(slug: str, **changes: Any) -> dict[str, Any]:
    return {"name": "Fresh", "slug": slug, "is_active": "on", "maps_users": "on", **changes}


def test_a_new_tenant_has_the_default_roles(cast: Cast) -> None:
    slug = f"fresh-{uuid4().hex[:8]}"

    response = superuser(cast.tenant.slug).post(list_of(Tenant, "add"), _form(slug))

    assert response.status_code == 302
    tenant = Tenant.objects.get(slug=slug)
    roles = Role.objects.filter(tenant=tenant).values_list("slug", "permissions")
    assert {role: tuple(permissions) for role, permissions in roles} == DEFAULT_ROLE_PERMISSIONS
    assert AuditEntry.objects.filter(tenant_id=tenant.pk, operation="create tenant").count() == 1


def test_an_inactive_tenant_lets_nobody_in(cast: Cast) -> None:
    key = cast.ben.key
    resolve(key)

    superuser(cast.tenant.slug).post(page_of(cast.tenant), _form(cast.tenant.slug, is_active=""))

    with pytest.raises(Unauthenticated):
        resolve(key)


def test_staff_look_and_change_nothing(cast: Cast) -> None:
    client = signed_in(cast.ana)

    assert client.get(page_of(cast.tenant)).status_code == 200
    assert client.post(page_of(cast.tenant), _form("other")).status_code == 403
    assert client.get(list_of(Tenant, "add")).status_code == 403
    assert Tenant.objects.get(pk=cast.tenant.pk).slug == cast.tenant.slug


def test_a_superuser_brings_a_user_into_a_tenant(cast: Cast) -> None:
    viewer = Role.objects.get(tenant=cast.other_tenant, slug="viewer")
    sent = {
        "tenant": str(cast.other_tenant.pk),
        "user": str(cast.ben.user.pk),
        "role": str(viewer.pk),
        "is_active": "on",
    }

    response = superuser(cast.tenant.slug).post(list_of(Membership, "add"), sent)

    assert response.status_code == 302
    assert Membership.objects.get(tenant=cast.other_tenant, user=cast.ben.user).role == viewer


def test_parts_of_two_tenants_make_no_membership(cast: Cast) -> None:
    sent = {
        "tenant": str(cast.other_tenant.pk), "user": str(cast.ben.user.pk), "role": str(cast.roles["viewer"].pk),
        "departments": [str(cast.sales.pk)], "is_active": "on",
    }  # fmt: skip

    response = superuser(cast.tenant.slug).post(list_of(Membership, "add"), sent)

    assert errors_of(response) == {"role": ["The role belongs to another tenant."]}
    assert not Membership.objects.filter(tenant=cast.other_tenant, user=cast.ben.user).exists()
