"""In which tenant a signed-in person works: the one chosen, or the only one there is."""

from typing import Any
from uuid import UUID

from identity.models import Membership, User

CHOSEN = "tenant_id"


def memberships_of(user: User) -> list[Membership]:
    """The memberships that count now, by the tenants' names."""
    found = Membership.objects.select_related("tenant", "role").filter(
        user=user, is_active=True, user__is_active=True, tenant__is_active=True
    )
    return list(found.order_by("tenant__name", "tenant_id"))


def current_membership(session: Any, user: User) -> Membership | None:
    """The membership of the tenant that was chosen, or the only one; None while the person has yet to choose."""
    found = memberships_of(user)
    chosen = [membership for membership in found if str(membership.tenant_id) == session.get(CHOSEN)]
    if chosen:
        return chosen[0]
    return found[0] if len(found) == 1 else None


def choose_tenant(session: Any, user: User, tenant_id: UUID) -> bool:
    """Work in this tenant from now on; False when the person is no member of it."""
    if all(membership.tenant_id != tenant_id for membership in memberships_of(user)):
        return False
    session[CHOSEN] = str(tenant_id)
    return True
