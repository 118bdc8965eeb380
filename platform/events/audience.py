"""Who may know of an event; whoever publishes it says so."""

from dataclasses import dataclass
from uuid import UUID

from identity.principal import Principal


@dataclass(frozen=True, slots=True)
class Audience:
    """In this tenant: the user, and whoever holds the permission."""

    tenant_id: UUID
    user_id: UUID | None = None
    permission: str | None = None

    def admits(self, principal: Principal) -> bool:
        """Whether the principal belongs to it."""
        if principal.tenant_id != self.tenant_id:
            return False
        if self.user_id is not None and principal.user_id == self.user_id:
            return True
        return self.permission is not None and principal.may(self.permission)
