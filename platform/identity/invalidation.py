"""Which topics a change of identity touches: `rights` for principals, `surface` for what they are shown."""

from uuid import UUID

from ground.invalidation import announce


def rights_changed(tenant_id: UUID | None) -> None:
    """Users, memberships, roles, grants or departments of a tenant changed (None: of any tenant)."""
    announce("rights", tenant_id)
    announce("surface", tenant_id)
