"""Who may know of an event; whoever publishes it says so."""

from dataclasses import dataclass
from uuid import UUID

from identity.principal import Principal


@dataclass(frozen=True, slots=True)
class Audience:
    """In this tenant: the user, and whoever holds the permission and sees the department, if there is one."""

    tenant_id: UUID
    user_id: UUID | None = None
    permission: str | None = None
    department_id: UUID | None = None

    def admits(self, principal: Principal) -> bool:
        """Whether the principal belongs to it."""
        if principal.tenant_id != self.tenant_id:
            return False
        inside = (
            self.department_id is None or principal.all_departments or self.department_id in principal.department_ids
        )
        if self.user_id is not None and principal.user_id == self.user_id:
            return inside or principal.credential.departments is None  # only a key is narrowed on purpose
        return inside and self.permission is not None and principal.may(self.permission)
