"""People with receipts: ana owns a tenant, ben is a member of it, zoe owns another."""

from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest

from ground.uuid7 import uuid7
from identity.models import Tenant
from identity.permissions import DEFAULT_ROLE_PERMISSIONS
from identity.principal import API_KEY, Credential, Principal


@dataclass(frozen=True)
class People:
    """Three principals, each with a key of their own."""

    ana: Principal
    ben: Principal
    zoe: Principal


def with_key(tenant: Tenant, role: str, user_id: UUID | None = None) -> Principal:
    """A principal of this tenant with a new key."""
    return Principal(
        tenant_id=tenant.id,
        tenant_slug=tenant.slug,
        tenant_name=tenant.name,
        user_id=user_id or uuid7(),
        user_name=role,
        user_email=f"{role}@example.test",
        membership_id=uuid7(),
        role=role,
        permissions=frozenset(DEFAULT_ROLE_PERMISSIONS[role]),
        department_ids=frozenset(),
        credential=Credential(API_KEY, uuid4().hex[:12], f"key of the {role}"),
    )


def a_tenant(name: str) -> Tenant:
    """A fresh tenant."""
    return Tenant.objects.create(slug=f"{name}-{uuid4().hex[:10]}", name=name)


@pytest.fixture
def people() -> People:
    """Fresh people in two fresh tenants."""
    north, south = a_tenant("north"), a_tenant("south")
    return People(ana=with_key(north, "owner"), ben=with_key(north, "member"), zoe=with_key(south, "owner"))
