"""Issue, change, rotate and revoke API keys."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from credentials import keys
from credentials.models import ApiKey, every_scope
from credentials.policy import ROUTER_EXPIRES, check_owner, check_policy, check_router, opens_router
from ground.errors import Conflict, InvalidInput
from ground.invalidation import announce
from identity.models import Department, User
from identity.principal import Principal
from receipts import audit

LIFETIME = timedelta(days=90)
OVERLAP = timedelta(hours=24)


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
    refused for router keys. Raises Forbidden when the owner's rights exceed the issuer's.
    """
    given = every_scope() if scopes is None else list(scopes)
    entries = check_policy(principal, owner, allowlist, departments, scopes=given, expires_at=expires_at)
    if never_expires and opens_router(entries):
        raise InvalidInput(ROUTER_EXPIRES)
    text = keys.generate()
    key = ApiKey.objects.create(
        tenant_id=principal.tenant_id,
        name=name,
        owner=owner,
        allowlist=entries,
        scopes=given,
        narrowed=bool(departments),
        read_only=read_only,
        expires_at=None if never_expires else expires_at or _after(LIFETIME),
        created_by_id=principal.user_id,
        **_stored(text),
        **limits,
    )
    key.departments.set(departments)
    _record(principal, "issue key", key)
    return key, str(text)


@transaction.atomic
def change_key(principal: Principal, key: ApiKey, departments: Sequence[Department], **changes: Any) -> ApiKey:
    """Change what an active key may do; its text stays. `changes` are fields of the policy."""
    held: ApiKey = _locked(principal, key)
    if held.state != "active":
        raise Conflict("Only an active key can be changed; issue a new one.")
    changed = [name for name, value in changes.items() if getattr(held, name) != value]
    kept = list(held.allowlist)
    for name in changed:
        setattr(held, name, changes[name])
    new_end = held.expires_at if "expires_at" in changed else None
    held.allowlist = check_policy(
        principal, held.owner, held.allowlist, departments, scopes=held.scopes, expires_at=new_end, kept=kept
    )
    if opens_router(held.allowlist) and held.expires_at is None:
        raise InvalidInput(ROUTER_EXPIRES)
    if {department.pk for department in departments} != set(held.departments.values_list("pk", flat=True)):
        changed.append("departments")
        held.narrowed = bool(departments)
        held.departments.set(departments)
    held.save()
    _record(principal, "change key", held, changed=changed)
    return held


@transaction.atomic
def rotate_key(principal: Principal, key: ApiKey) -> tuple[ApiKey, str]:
    """A new key with the old one's policy, and its plaintext; the old one works for another 24 hours."""
    old = _locked(principal, key)
    if old.state != "active" or old.replaced_by_id is not None:
        raise Conflict("Only an active key that was not rotated before can be rotated; issue a new one.")
    departments = list(old.departments.all())
    check_owner(principal, old.owner, departments)
    check_router(principal, old.allowlist)
    new, text = _successor(principal, old)
    new.departments.set(departments)
    ends = _after(OVERLAP)
    old.replaced_by, old.expires_at = new, min(ends, old.expires_at) if old.expires_at else ends
    old.save(update_fields=["replaced_by", "expires_at"])
    _record(principal, "rotate key", old)
    _record(principal, "issue key", new)
    return new, text


def _successor(principal: Principal, old: ApiKey) -> tuple[ApiKey, str]:
    policy: dict[str, Any] = {
        field: getattr(old, field)
        for field in ("tenant_id", "name", "owner_id", "allowlist", "scopes", "narrowed", "read_only",
                      "calls_per_minute", "burst", "concurrent_calls")
    }  # fmt: skip
    text, lifetime = keys.generate(), old.expires_at - old.created_at if old.expires_at else None
    new = ApiKey.objects.create(
        **policy,
        expires_at=_after(lifetime) if lifetime else None,
        created_by_id=principal.user_id,
        **_stored(text),
    )
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


def _locked(principal: Principal, key: ApiKey) -> Any:
    return ApiKey.objects.select_for_update(of=("self",)).get(pk=key.pk, tenant_id=principal.tenant_id)


def _after(lifetime: timedelta) -> datetime:
    # Whole seconds, as forms show them.
    return (timezone.now() + lifetime).replace(microsecond=0)


def _stored(text: keys.KeyText) -> dict[str, Any]:
    pepper_id = keys.newest_pepper()
    return {"lookup": text.lookup, "digest": keys.digest(text.secret, pepper_id), "pepper_id": pepper_id}


def _record(principal: Principal, operation: str, key: ApiKey, changed: Iterable[str] = ()) -> None:
    announce("credentials", principal.tenant_id)
    announce("surface", principal.tenant_id)
    audit.record(
        principal,
        door="admin",
        operation=operation,
        object_type="key",
        object_id=key.lookup,
        changed=changed,
        outcome="ok",
        status=200,
    )
