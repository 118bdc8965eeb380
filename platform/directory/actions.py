"""Changes of tenants and people by staff, each written down and felt at once."""

from collections.abc import Iterable, Sequence

from django.db import transaction

from credentials.policy import router_permission
from directory.acting import superuser_in
from directory.rules import (
    check_grant,
    check_membership,
    check_other_owner,
    check_parent,
    check_role,
    check_role_map,
    check_unused,
)
from ground.errors import InvalidInput
from identity.invalidation import rights_changed
from identity.models import Department, Grant, Membership, Role, Tenant, User
from identity.permissions import DEFAULT_ROLE_PERMISSIONS, OWNER
from identity.principal import Principal
from receipts import audit


@transaction.atomic
def create_tenant(superuser: User, tenant: Tenant) -> Tenant:
    """A tenant with the default roles."""
    tenant.save()
    for slug, patterns in DEFAULT_ROLE_PERMISSIONS.items():
        Role.objects.create(tenant=tenant, slug=slug, permissions=list(patterns))
    _record(superuser_in(tenant, superuser), "create tenant", "tenant", tenant.slug)
    return tenant


@transaction.atomic
def change_tenant(superuser: User, tenant: Tenant, changed: Iterable[str] = ()) -> Tenant:
    """Rename a tenant, or let nobody in any more."""
    tenant.save()
    _record(superuser_in(tenant, superuser), "change tenant", "tenant", tenant.slug, changed)
    return tenant


@transaction.atomic
def save_department(principal: Principal, department: Department, changed: Iterable[str] = ()) -> Department:
    """Create or change a department of the principal's tenant."""
    check_parent(principal, department)
    department.tenant_id = principal.tenant_id
    department.save()
    _record(principal, "save department", "department", department.pk, changed)
    return department


@transaction.atomic
def delete_department(principal: Principal, department: Department) -> None:
    """Remove a department that nothing belongs to; its grants and memberships go with it."""
    check_unused(department)
    key = department.pk
    department.delete()
    _record(principal, "delete department", "department", key)


@transaction.atomic
def save_membership(
    principal: Principal, membership: Membership, departments: Sequence[Department], changed: Iterable[str] = ()
) -> Membership:
    """Bring a user into the tenant, or change role, departments and whether the membership is active."""
    _in_turn(principal)
    check_membership(principal, membership, departments)
    membership.tenant_id = principal.tenant_id
    membership.save()
    membership.departments.set(departments)
    _record(principal, "save membership", "user", membership.user_id, changed)
    return membership


@transaction.atomic
def delete_membership(principal: Principal, membership: Membership) -> None:
    """Take a user out of the tenant; the user stays."""
    _in_turn(principal)
    check_role(principal, membership.role)
    if membership.role.slug == OWNER:
        check_other_owner(principal, membership)
    user_id = membership.user_id
    membership.delete()
    _record(principal, "delete membership", "user", user_id)


@transaction.atomic
def change_role_map(principal: Principal, role: Role, permissions: Sequence[str]) -> Role:
    """Change what a role may do. Neither the old nor the new map may exceed the own rights."""
    held = Role.objects.select_for_update().get(pk=role.pk, tenant_id=principal.tenant_id)
    check_role_map(principal, held, permissions)
    held.permissions = sorted(set(permissions))
    held.save(update_fields=["permissions"])
    _record(principal, "change role map", "role", held.slug, ["permissions"])
    return held


@transaction.atomic
def save_grant(principal: Principal, grant: Grant, changed: Iterable[str] = ()) -> Grant:
    """Give a right for one object."""
    check_grant(principal, grant)
    grant.tenant_id = principal.tenant_id
    grant.full_clean()
    grant.save()
    _record(principal, "save grant", grant.object_type, grant.object_id, changed)
    return grant


@transaction.atomic
def delete_grant(principal: Principal, grant: Grant) -> None:
    """Take the right back."""
    kind, object_id = grant.object_type, grant.object_id
    grant.delete()
    _record(principal, "delete grant", kind, object_id)


@transaction.atomic
def save_user(actor: User, user: User, changed: Iterable[str] = ()) -> User:
    """Create or change a user, by a superuser or by the user; takes effect in every tenant."""
    if not actor.is_superuser and actor.pk != user.pk:
        raise InvalidInput("Users are changed by superusers, or by themselves.")
    user.save()
    _record_user(actor, "save user", user, changed)
    return user


@transaction.atomic
def let_issue_router_keys(superuser: User, user: User, may: bool) -> None:
    """Give or take the permission to issue router keys."""
    change = user.user_permissions.add if may else user.user_permissions.remove
    change(router_permission())
    _record_user(superuser, "let issue router keys" if may else "let issue no router keys", user, ())


@transaction.atomic
def deactivate_user(superuser: User, user: User) -> User:
    """Nobody signs in or calls as this user any more; nothing of theirs is lost."""
    user.is_active = False
    return save_user(superuser, user, ["is_active"])


@transaction.atomic
def delete_user(superuser: User, user: User) -> None:
    """Remove a user with memberships and keys; the audit keeps what they did."""
    _record_user(superuser, "delete user", user, ())
    user.delete()


def _in_turn(principal: Principal) -> None:
    # Two owners who demote each other at once would leave none.
    Tenant.objects.select_for_update(no_key=True).get(pk=principal.tenant_id)


def _record_user(actor: User, operation: str, user: User, changed: Iterable[str]) -> None:
    """Every tenant of the user hears and reads of it."""
    changed = list(changed)
    for tenant in Tenant.objects.filter(memberships__user=user):
        _record(superuser_in(tenant, actor), operation, "user", user.pk, changed)
    rights_changed(None)


def _record(
    principal: Principal, operation: str, object_type: str, object_id: object, changed: Iterable[str] = ()
) -> None:
    rights_changed(principal.tenant_id)
    audit.record(
        principal,
        door="admin",
        operation=operation,
        object_type=object_type,
        object_id=str(object_id),
        changed=changed,
        outcome="ok",
        status=200,
    )
