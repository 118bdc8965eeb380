"""What staff may give: never more than they hold, never across tenants, and never the last owner away."""

from collections.abc import Sequence
from typing import Any

from django.apps import apps

from api import references
from ground.errors import Conflict, Forbidden, InvalidInput
from identity.models import Department, Grant, Membership, Role
from identity.permissions import OWNER, exceeds, is_pattern
from identity.principal import Principal
from identity.scoping import TenantOwned


def check_patterns(principal: Principal, patterns: Sequence[str]) -> None:
    """Raise Forbidden when the patterns carry more than the principal holds."""
    if beyond := exceeds(patterns, principal.permissions):
        raise Forbidden(beyond[0], f"That would give more than you may do yourself: {', '.join(beyond[:5])}.")


def check_role(principal: Principal, role: Role) -> None:
    """Raise Forbidden for a role above the own rights. An owner sees what is private, so owners alone make owners."""
    check_patterns(principal, role.permissions)
    if role.slug == OWNER and not principal.is_owner:
        raise Forbidden("*", "Only an owner makes, changes or removes an owner.")


def check_role_map(principal: Principal, role: Role, permissions: Sequence[str]) -> None:
    """Refuse unknown patterns, an owner without `*`, and maps, old or new, above the own rights."""
    if unknown := [pattern for pattern in permissions if not is_pattern(pattern)]:
        raise InvalidInput(f"Unknown permissions: {', '.join(unknown)}.")
    if role.slug == OWNER and "*" not in permissions:
        raise InvalidInput("The owner's map is always *; without it nobody could mend the others.")
    check_role(principal, role)
    check_patterns(principal, permissions)


def check_membership(principal: Principal, membership: Membership, departments: Sequence[Department]) -> None:
    """Refuse roles above the own rights, parts of other tenants, and a tenant without an owner."""
    before = Membership.objects.filter(pk=membership.pk).select_related("role").first()
    for role in (membership.role, before.role if before else None):
        if role is not None:
            check_role(principal, role)
    if membership.role.tenant_id != principal.tenant_id:
        raise InvalidInput("The role belongs to another tenant.")
    if any(department.tenant_id != principal.tenant_id for department in departments):
        raise InvalidInput("A department belongs to another tenant.")
    was_owner = before is not None and before.role.slug == OWNER and before.is_active
    if was_owner and not (membership.is_active and membership.role.slug == OWNER):
        check_other_owner(principal, membership)


def check_other_owner(principal: Principal, membership: Membership) -> None:
    """Raise Conflict when nobody else owns the tenant."""
    others = Membership.objects.filter(
        tenant_id=principal.tenant_id, role__slug=OWNER, is_active=True, user__is_active=True
    ).exclude(pk=membership.pk)
    if not others.exists():
        raise Conflict("A tenant needs an active owner; make somebody else owner first.")


def check_grant(principal: Principal, grant: Grant) -> None:
    """Refuse rights above the own ones, and objects that do not exist for the giver."""
    check_patterns(principal, [grant.permission])
    references.find(grant.object_type, principal, grant.object_id, grant.permission)


def check_parent(principal: Principal, department: Department) -> None:
    """Refuse parents from outside, and circles."""
    if department.parent is None:
        return
    if department.parent.tenant_id != principal.tenant_id:
        raise InvalidInput("The parent belongs to another tenant.")
    if department.pk in _line(department.parent):
        raise InvalidInput("A department cannot be below itself.")


def check_unused(department: Department) -> None:
    """Refuse to remove a department that objects belong to: without it the whole tenant would see them."""
    for model in apps.get_models():
        if issubclass(model, TenantOwned) and model.has_department:
            rows: Any = model.objects.all()  # the field is of the subclass, not of TenantOwned
            count = rows.filter(department=department).count()
            if count:
                kind = model._meta.verbose_name if count == 1 else model._meta.verbose_name_plural
                raise Conflict(f"{count} {kind} of {department.name} would be seen by everybody; move them first.")


def _line(department: Department) -> list[Any]:
    found: list[Any] = []
    step: Department | None = department
    while step is not None and step.pk not in found:
        found.append(step.pk)
        step = step.parent
    return found
