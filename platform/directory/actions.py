"""Changes of tenants and people by staff; nobody gives what exceeds their own rights."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from ground.errors import Conflict, Forbidden, InvalidInput
from identity.invalidation import rights_changed
from identity.models import Department, Grant, Membership, Role, Tenant, User
from identity.permissions import DEFAULT_ROLE_PERMISSIONS, OWNER, exceeds, is_pattern
from identity.principal import Principal
from receipts import audit


@transaction.atomic
def create_tenant(tenant: Tenant) -> Tenant:
    """A tenant with the default roles."""
    tenant.save()
    for slug, patterns in DEFAULT_ROLE_PERMISSIONS.items():
        Role.objects.get_or_create(tenant=tenant, slug=slug, defaults={"permissions": list(patterns)})
    rights_changed(tenant.pk)
    return tenant


@transaction.atomic
def change_tenant(tenant: Tenant) -> Tenant:
    """Rename a tenant, or let nobody in any more."""
    tenant.save()
    rights_changed(tenant.pk)
    return tenant


@transaction.atomic
def save_department(principal: Principal, department: Department) -> Department:
    """Create or change a department of the principal's tenant."""
    if department.parent is not None and department.parent.tenant_id != principal.tenant_id:
        raise InvalidInput("The parent belongs to another tenant.")
    if department.parent is not None and department.pk in _ancestors(department.parent):
        raise InvalidInput("A department cannot be below itself.")
    department.tenant_id = principal.tenant_id
    department.save()
    _record(principal, "save department", "department", department.pk)
    return department


def _ancestors(department: Department) -> list[Any]:
    found: list[Any] = []
    step: Department | None = department
    while step is not None and step.pk not in found:
        found.append(step.pk)
        step = step.parent
    return found


@transaction.atomic
def delete_department(principal: Principal, department: Department) -> None:
    """Remove a department; what belonged to it belongs to the whole tenant."""
    key = department.pk
    department.delete()
    _record(principal, "delete department", "department", key)


@transaction.atomic
def save_membership(principal: Principal, membership: Membership, departments: Sequence[Department]) -> Membership:
    """Bring a user into the tenant, or change role, departments and whether the membership is active."""
    check_membership(principal, membership, departments)
    membership.tenant_id = principal.tenant_id
    membership.save()
    membership.departments.set(departments)
    _record(principal, "save membership", "user", membership.user_id)
    return membership


def check_membership(principal: Principal, membership: Membership, departments: Sequence[Department]) -> None:
    """Refuse roles above the own rights, parts of other tenants, and a tenant without an owner."""
    before = Membership.objects.filter(pk=membership.pk).select_related("role").first()
    for role in (membership.role, before.role if before else None):
        if role is not None:
            check_patterns(principal, role.permissions)
    if membership.role.tenant_id != principal.tenant_id:
        raise InvalidInput("The role belongs to another tenant.")
    if any(department.tenant_id != principal.tenant_id for department in departments):
        raise InvalidInput("A department belongs to another tenant.")
    was_owner = before is not None and before.role.slug == OWNER and before.is_active
    if was_owner and not (membership.is_active and membership.role.slug == OWNER):
        _check_other_owner(principal, membership)


def _check_other_owner(principal: Principal, membership: Membership) -> None:
    others = Membership.objects.filter(
        tenant_id=principal.tenant_id, role__slug=OWNER, is_active=True, user__is_active=True
    ).exclude(pk=membership.pk)
    if not others.exists():
        raise Conflict("A tenant needs an active owner; make somebody else owner first.")


@transaction.atomic
def delete_membership(principal: Principal, membership: Membership) -> None:
    """Take a user out of the tenant; the user stays."""
    check_patterns(principal, membership.role.permissions)
    if membership.role.slug == OWNER:
        _check_other_owner(principal, membership)
    user_id = membership.user_id
    membership.delete()
    _record(principal, "delete membership", "user", user_id)


def check_patterns(principal: Principal, patterns: Sequence[str]) -> None:
    """Raise Forbidden when the patterns carry more than the principal holds."""
    if beyond := exceeds(patterns, principal.permissions):
        raise Forbidden(beyond[0], f"That would give more than you may do yourself: {', '.join(beyond[:5])}.")


@transaction.atomic
def change_role_map(principal: Principal, role: Role, permissions: Sequence[str]) -> Role:
    """Change what a role may do. Neither the old nor the new map may exceed the own rights."""
    held = Role.objects.select_for_update().get(pk=role.pk, tenant_id=principal.tenant_id)
    check_role_map(principal, held, permissions)
    held.permissions = sorted(set(permissions))
    held.save(update_fields=["permissions"])
    _record(principal, "change role map", "role", held.slug)
    return held


def check_role_map(principal: Principal, role: Role, permissions: Sequence[str]) -> None:
    """The same checks, for a form."""
    if unknown := [pattern for pattern in permissions if not is_pattern(pattern)]:
        raise InvalidInput(f"Unknown permissions: {', '.join(unknown)}.")
    if role.slug == OWNER and "*" not in permissions:
        raise InvalidInput("The owner's map is always *; without it nobody could mend the others.")
    check_patterns(principal, role.permissions)
    check_patterns(principal, permissions)


@transaction.atomic
def save_grant(principal: Principal, grant: Grant) -> Grant:
    """Give a right for one object."""
    check_patterns(principal, [grant.permission])
    grant.tenant_id = principal.tenant_id
    grant.full_clean()
    grant.save()
    _record(principal, "save grant", grant.object_type, grant.object_id)
    return grant


@transaction.atomic
def delete_grant(principal: Principal, grant: Grant) -> None:
    """Take the right back."""
    kind, object_id = grant.object_type, grant.object_id
    grant.delete()
    _record(principal, "delete grant", kind, object_id)


@transaction.atomic
def save_user(user: User) -> User:
    """Create or change a user, by a superuser; takes effect in every tenant."""
    user.save()
    rights_changed(None)
    return user


def _record(principal: Principal, operation: str, object_type: str, object_id: object) -> None:
    rights_changed(principal.tenant_id)
    audit.record(
        principal,
        door="admin",
        operation=operation,
        object_type=object_type,
        object_id=str(object_id),
        outcome="ok",
        status=200,
    )
