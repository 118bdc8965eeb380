"""What a key may be given: nobody hands out more than they hold, and router keys need a permission of their own."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.contrib.auth.models import Permission
from django.utils import timezone

from credentials import allowlist as allowlists
from credentials.models import ROUTER_TOOL
from ground.errors import Forbidden, InvalidInput, Unauthenticated
from identity.models import Department, User
from identity.permissions import SCOPES, exceeds, is_pattern
from identity.principal import SESSION, Credential, Principal
from identity.rights import principal_of

ROUTER_PERMISSION = "credentials.issue_router_key"  # declared on the model
ROUTER_EXPIRES = "A router key needs a date on which it expires."


def check_policy(
    principal: Principal,
    owner: User,
    allowlist: Iterable[str],
    departments: Sequence[Department] = (),
    *,
    scopes: Sequence[str],
    expires_at: datetime | None = None,
    kept: Iterable[str] = (),
) -> list[str]:
    """The entries of the allowlist, tidied; InvalidInput or Forbidden for what may not be given to this owner.

    `kept` are entries that the key has already: they stay although their tool may be gone.
    """
    entries = allowlists.checked(allowlist, principal.tenant_id, kept=kept)
    if not scopes or not all(scope in SCOPES or is_pattern(scope) for scope in scopes):
        raise InvalidInput("Choose at least one scope of those that exist.")
    if expires_at is not None and expires_at <= timezone.now():
        raise InvalidInput("The date on which a key expires must be in the future; revoke a key to end it now.")
    check_router(principal, entries)
    check_owner(principal, owner, departments)
    return entries


def opens_router(entries: Iterable[str]) -> bool:
    """Whether a key with this allowlist is a router key."""
    return ROUTER_TOOL in allowlists.normalised(entries)


def may_route(user: User | None) -> bool:
    """Whether this user may issue router keys: a permission that a superuser gives."""
    return user is not None and user.has_perm(ROUTER_PERMISSION)


def router_permission() -> Permission:
    """The permission to issue router keys, as something a user may be given."""
    app, _, codename = ROUTER_PERMISSION.partition(".")
    return Permission.objects.get(content_type__app_label=app, codename=codename)


def check_router(principal: Principal, entries: Iterable[str]) -> None:
    """Raise Forbidden for a router key of somebody who may not issue one."""
    if opens_router(entries) and not may_route(User.objects.filter(pk=principal.user_id).first()):
        raise Forbidden(ROUTER_PERMISSION, "Issuing router keys needs a permission of its own; ask a superuser for it.")


def check_owner(principal: Principal, owner: User, departments: Sequence[Department]) -> None:
    """Refuse an owner from outside, one who may do more than the issuer, and departments that are not the owner's."""
    try:
        theirs = principal_of(principal.tenant_id, owner.pk, Credential(SESSION, "", ""))
    except Unauthenticated:
        raise InvalidInput("The owner of a key must be an active member of the tenant.") from None
    if owner.pk != principal.user_id:
        _check_rights(principal, theirs)
    for department in departments:
        outside = not theirs.all_departments and department.pk not in theirs.department_ids
        if department.tenant_id != principal.tenant_id or outside:
            raise InvalidInput(f"The owner is not in the department {department.name}.")


def _check_rights(principal: Principal, theirs: Principal) -> None:
    if theirs.is_owner and not principal.is_owner:
        raise Forbidden("*", "Only an owner issues keys of an owner.")
    granted = [grant.permission for grant in theirs.grants]
    if beyond := exceeds([*theirs.permissions, *granted], principal.permissions):
        raise Forbidden(beyond[0], f"A key of this owner could do more than you may: {', '.join(beyond[:5])}.")
