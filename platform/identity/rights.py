"""Builds the principal from what the database says now."""

from uuid import UUID

from django.db.models import Q

from ground.errors import Unauthenticated
from identity.models import Grant, Membership
from identity.principal import Credential, GrantFact, Principal


def principal_of(tenant_id: UUID, user_id: UUID, credential: Credential) -> Principal:
    """The principal of this user in this tenant, holding this credential.

    Three queries: membership with user, tenant and role; departments; grants. Raises Unauthenticated when the user,
    the membership or the tenant is missing or inactive.
    """
    membership = (
        Membership.objects.select_related("user", "tenant", "role")
        .filter(tenant_id=tenant_id, user_id=user_id, is_active=True, user__is_active=True, tenant__is_active=True)
        .first()
    )
    if membership is None:
        raise Unauthenticated
    own = frozenset(membership.departments.filter(tenant_id=tenant_id).values_list("id", flat=True))
    narrowed = own if credential.departments is None else _narrowed(membership, own, credential.departments)
    user, tenant = membership.user, membership.tenant
    return Principal(
        tenant_id=tenant.id,
        tenant_slug=tenant.slug,
        tenant_name=tenant.name,
        user_id=user.id,
        user_name=user.shown_name,
        user_email=user.email,
        membership_id=membership.id,
        role=membership.role.slug,
        permissions=frozenset(membership.role.permissions),
        department_ids=narrowed,
        credential=credential,
        grants=_grants(membership, narrowed),
        maps_users=tenant.maps_users,
    )


def _narrowed(membership: Membership, own: frozenset[UUID], chosen: frozenset[UUID]) -> frozenset[UUID]:
    # Owner and admin see every department without being in it, so their keys may name any.
    return chosen if membership.role.slug in ("owner", "admin") else own & chosen


def _grants(membership: Membership, departments: frozenset[UUID]) -> tuple[GrantFact, ...]:
    rows = (
        Grant.objects.filter(tenant_id=membership.tenant_id)
        .filter(Q(user_id=membership.user_id) | Q(role_id=membership.role_id) | Q(department_id__in=departments))
        .order_by("object_type", "object_id", "permission")
        .values_list("permission", "object_type", "object_id")
        .distinct()
    )
    return tuple(GrantFact(*row) for row in rows)
