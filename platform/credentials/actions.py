"""Issue, rotate and revoke API keys; nobody hands out more than they hold."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from credentials import allowlist as allowlists
from credentials import keys
from credentials.models import ROUTER_TOOL, ApiKey, every_scope
from ground.errors import Conflict, Forbidden, InvalidInput
from ground.invalidation import announce
from identity.models import Department, Membership, User
from identity.permissions import exceeds
from identity.principal import Principal
from receipts import audit

LIFETIME = timedelta(days=90)
OVERLAP = timedelta(hours=24)
ROUTER_EXPIRES = "A router key needs a date on which it expires."


@transaction.atomic
def issue_key(
    principal: Principal,
    *,
    owner: User,
    name: str,
    allowlist: Iterable[str],
    scopes: Sequence[str] | None = None,
    departments: Sequence[Department] = (),
    read_only: bool = False,
    expires_at: datetime | None = None,
    never_expires: bool = False,
    **limits: int | None,
) -> tuple[ApiKey, str]:
    """A new key and its plaintext, which is shown now and never again.

    `limits`: calls_per_minute, burst, concurrent_calls. Without `expires_at` it lives 90 days; `never_expires` is
    refused for router keys. Raises Forbidden when the owner's role exceeds the issuer's rights.
    """
    entries = check_policy(principal, owner=owner, allowlist=allowlist, departments=departments)
    if never_expires and ROUTER_TOOL in entries:
        raise InvalidInput(ROUTER_EXPIRES)
    text = keys.generate()
    key = ApiKey.objects.create(
        tenant_id=principal.tenant_id,
        name=name,
        owner=owner,
        allowlist=entries,
        scopes=list(scopes) if scopes is not None else every_scope(),
        read_only=read_only,
        expires_at=None if never_expires else expires_at or timezone.now() + LIFETIME,
        created_by_id=principal.user_id,
        **_stored(text),
        **limits,
    )
    key.departments.set(departments)
    _record(principal, "issue key", key)
    return key, str(text)


def check_policy(
    principal: Principal, *, owner: User, allowlist: Iterable[str], departments: Sequence[Department] = ()
) -> list[str]:
    """The entries of the allowlist, tidied; InvalidInput or Forbidden for what may not be given to this owner."""
    entries = allowlists.checked(allowlist, principal.tenant_id)
    _check_owner(principal, owner, departments)
    return entries


@transaction.atomic
def change_key(principal: Principal, key: ApiKey, departments: Sequence[Department], **changes: Any) -> ApiKey:
    """Change what an active key may do; its text stays. `changes` are fields of the policy."""
    held: ApiKey = ApiKey.objects.select_for_update(of=("self",)).get(pk=key.pk, tenant_id=principal.tenant_id)
    if held.state != "active":
        raise Conflict("Only an active key can be changed; issue a new one.")
    for name, value in changes.items():
        setattr(held, name, value)
    held.allowlist = check_policy(principal, owner=held.owner, allowlist=held.allowlist, departments=departments)
    if held.is_router and held.expires_at is None:
        raise InvalidInput(ROUTER_EXPIRES)
    held.save()
    held.departments.set(departments)
    _record(principal, "change key", held)
    return held


@transaction.atomic
def rotate_key(principal: Principal, key: ApiKey) -> tuple[ApiKey, str]:
    """A new key with the old one's policy, and its plaintext; the old one works for another 24 hours."""
    old = ApiKey.objects.select_for_update(of=("self",)).get(pk=key.pk, tenant_id=principal.tenant_id)
    if old.state != "active" or old.replaced_by_id is not None:
        raise Conflict("Only an active key that was not rotated before can be rotated; issue a new one.")
    _check_owner(principal, old.owner, list(old.departments.all()))
    text = keys.generate()
    policy: dict[str, Any] = {
        field: getattr(old, field)
        for field in ("tenant_id", "name", "owner_id", "allowlist", "scopes", "read_only", "calls_per_minute", "burst",
                      "concurrent_calls")
    }  # fmt: skip
    lifetime = old.expires_at - old.created_at if old.expires_at else None
    new = ApiKey.objects.create(
        **policy,
        expires_at=timezone.now() + lifetime if lifetime else None,
        created_by_id=principal.user_id,
        **_stored(text),
    )
    new.departments.set(old.departments.all())
    old.replaced_by = new
    ends = timezone.now() + OVERLAP
    old.expires_at = min(ends, old.expires_at) if old.expires_at else ends
    old.save(update_fields=["replaced_by", "expires_at"])
    _record(principal, "rotate key", old)
    return new, str(text)


@transaction.atomic
def revoke_key(principal: Principal, key: ApiKey) -> ApiKey:
    """End a key at once and for ever; revoking it again changes nothing."""
    now = timezone.now()
    changed = ApiKey.objects.filter(pk=key.pk, tenant_id=principal.tenant_id, revoked_at=None).update(revoked_at=now)
    if changed:
        key.revoked_at = now
        _record(principal, "revoke key", key)
    return key


def _stored(text: keys.KeyText) -> dict[str, Any]:
    pepper_id = keys.newest_pepper()
    return {"lookup": text.lookup, "digest": keys.digest(text.secret, pepper_id), "pepper_id": pepper_id}


def _check_owner(principal: Principal, owner: User, departments: Sequence[Department]) -> None:
    membership = (
        Membership.objects.select_related("role")
        .filter(tenant_id=principal.tenant_id, user=owner, is_active=True, user__is_active=True)
        .first()
    )
    if membership is None:
        raise InvalidInput("The owner of a key must be an active member of the tenant.")
    held = principal.permissions
    if owner.pk != principal.user_id and (beyond := exceeds(membership.role.permissions, held)):
        raise Forbidden(beyond[0], f"A key of this owner could do more than you may: {', '.join(beyond[:5])}.")
    everywhere = membership.role.slug in ("owner", "admin")
    own = set(membership.departments.values_list("pk", flat=True))
    for department in departments:
        if department.tenant_id != principal.tenant_id or not (everywhere or department.pk in own):
            raise InvalidInput(f"The owner is not in the department {department.name}.")


def _record(principal: Principal, operation: str, key: ApiKey) -> None:
    announce("credentials", principal.tenant_id)
    audit.record(
        principal, door="admin", operation=operation, object_type="key", object_id=key.lookup, outcome="ok", status=200
    )
