"""What an allowlist that is being written would reach, and what its listing costs a model."""

from typing import Any
from uuid import UUID

from credentials import allowlist, known_tools
from identity.models import Membership, Tenant

MOST_CHARACTERS, MOST_NAMES = 20_000, 30


def reach_of(tenant_id: object, owner_id: str | None, text: str) -> dict[str, Any]:
    """`count` of `total` tools, and once the owner is known the tokens of the list, as it is and as a router key's."""
    tenant = Tenant.objects.filter(pk=as_id(tenant_id)).first()
    if tenant is None:
        return {"count": None}
    entries = [part.strip() for part in text[:MOST_CHARACTERS].splitlines() if part.strip()]
    names = allowlist.matching(entries, tenant.pk)
    found: dict[str, Any] = {
        "count": len(names),
        "total": len(allowlist.matching(["*"], tenant.pk)),
        "names": names[:MOST_NAMES],
    }
    if Membership.objects.filter(tenant=tenant, user_id=as_id(owner_id)).exists():
        counts = known_tools.token_counts(tenant.pk, UUID(str(owner_id)), allowlist.normalised(entries))
        if counts is not None:
            found |= {"routed": counts[0], "listed": counts[1]}
    return found


def as_id(text: object) -> UUID:
    """The id that a text is, or one that nothing has."""
    try:
        return UUID(str(text))
    except ValueError:
        return UUID(int=0)
