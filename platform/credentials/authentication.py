"""From what a caller shows to the principal: a dictionary look-up while it is warm, one thread hop when it is not."""

import hashlib
from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from credentials import keys
from credentials.allowlist import normalised
from credentials.models import ROUTER_TOOL, ApiKey
from ground.errors import Unauthenticated
from ground.invalidation import ProcessCache
from identity.principal import API_KEY, Credential, Principal
from identity.rights import principal_of

USED_EVERY = timedelta(minutes=1)

_principals: ProcessCache[bytes, Principal] = ProcessCache("credentials", 8192, also=("rights",))

_beginners: ProcessCache[tuple[object, ...], Principal] = ProcessCache("credentials", 4096, also=("rights",))

# Compared with when the id is unknown, so that both answers take the same work.
_NOBODY = "0" * 64


def presented(authorization: str | None, x_api_key: str | None, *, in_query: bool = False) -> str:
    """The one credential of a request; Unauthenticated when there is none, more than one, or one in the address."""
    if in_query or (authorization and x_api_key):
        raise Unauthenticated
    if x_api_key:
        if not x_api_key.startswith(keys.PREFIX):
            raise Unauthenticated
        return x_api_key.strip()
    scheme, _, value = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not value.strip():
        raise Unauthenticated
    return value.strip()


def cached(text: str) -> Principal | None:
    """The principal of a credential that was resolved a moment ago, or None. No query, no waiting."""
    principal = _principals.get(_name(text))
    if principal is None or _is_over(principal.credential):
        return None
    return principal


def resolve(text: str) -> Principal:
    """The principal of a credential; Unauthenticated, in one text, for every reason why there is none."""
    parsed = keys.parse(text)
    if parsed is None:
        raise Unauthenticated
    principal = _principals.load(_name(text), lambda: _principal(parsed), lambda principal: principal.tenant_id)
    if _is_over(principal.credential):  # it may have expired since it was kept
        raise Unauthenticated
    return principal


def authenticate(authorization: str | None, x_api_key: str | None, *, in_query: bool = False) -> Principal:
    """The principal of a request's headers; for threads where the ORM may be used."""
    text = presented(authorization, x_api_key, in_query=in_query)
    return cached(text) or resolve(text)


def again(tenant_id: UUID, user_id: UUID, kind: str, credential_id: str) -> Principal:
    """The principal that began long work, with the rights it has now; Unauthenticated when it has none any more."""
    name = (tenant_id, user_id, kind, credential_id)
    principal = _beginners.load(name, lambda: _beginner(*name), lambda found: found.tenant_id)
    if _is_over(principal.credential):  # it may have expired since it was kept
        raise Unauthenticated
    return principal


def _beginner(tenant_id: UUID, user_id: UUID, kind: str, credential_id: str) -> Principal:
    if kind != API_KEY:
        return principal_of(tenant_id, user_id, Credential(kind, credential_id, ""))
    key = ApiKey.objects.filter(lookup=credential_id, tenant_id=tenant_id, owner_id=user_id).first()
    if key is None or key.state != "active":
        raise Unauthenticated
    return principal_of(tenant_id, user_id, credential_of(key))


def _name(text: str) -> bytes:
    # Never the key itself: what is kept in memory must not open anything.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _is_over(credential: Credential) -> bool:
    return credential.expires_at is not None and credential.expires_at <= timezone.now()


def _principal(parsed: keys.KeyText) -> Principal:
    key = ApiKey.objects.filter(lookup=parsed.lookup).first()
    pepper_id, stored = (key.pepper_id, key.digest) if key else (keys.newest_pepper(), _NOBODY)
    if not keys.matches(parsed.secret, pepper_id, stored) or key is None or key.state != "active":
        raise Unauthenticated
    principal = principal_of(key.tenant_id, key.owner_id, credential_of(key))
    now = timezone.now()
    unused = Q(last_used_at=None) | Q(last_used_at__lt=now - USED_EVERY)
    if key.last_used_at is None or key.last_used_at < now - USED_EVERY:
        ApiKey.objects.filter(unused, pk=key.pk).update(last_used_at=now)
    return principal


def credential_of(key: ApiKey) -> Credential:
    """A key as the credential of a principal."""
    departments = frozenset(key.departments.values_list("id", flat=True)) if key.narrowed else None
    allowlist = normalised(key.allowlist)
    return Credential(
        kind=API_KEY,
        id=key.lookup,
        label=key.name,
        scopes=frozenset(key.scopes),
        allowlist=allowlist,
        router=ROUTER_TOOL in allowlist,
        read_only=key.read_only,
        departments=departments,
        calls_per_minute=key.calls_per_minute,
        burst=key.burst,
        concurrent_calls=key.concurrent_calls,
        expires_at=key.expires_at,
    )
