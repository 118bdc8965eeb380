"""The caller: made once a request, handed on everywhere, the beginning of every query of owned data."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from uuid import UUID

from identity.permissions import ADMIN, OWNER, covers, expanded, holds

SESSION, API_KEY, OAUTH, TASK = "session", "api_key", "oauth", "task"

EVERY_SCOPE = frozenset({"mcp:read", "mcp:execute", "mcp:write"})


@dataclass(frozen=True, slots=True)
class Credential:
    """What the caller showed. `allowlist` None means that no allowlist applies (a session, an OAuth token)."""

    kind: str
    id: str
    label: str
    scopes: frozenset[str] = EVERY_SCOPE
    allowlist: frozenset[str] | None = None
    router: bool = False
    read_only: bool = False
    departments: frozenset[UUID] | None = None  # None: all of the user's
    calls_per_minute: int | None = None
    burst: int | None = None
    concurrent_calls: int | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class GrantFact:
    """A right for one object, on top of the role."""

    permission: str
    object_type: str
    object_id: str


@dataclass(frozen=True)
class Principal:
    """Rights = credential scopes ∩ (role map ∪ grants)."""

    tenant_id: UUID
    tenant_slug: str
    tenant_name: str
    user_id: UUID
    user_name: str
    user_email: str
    membership_id: UUID
    role: str
    permissions: frozenset[str]
    department_ids: frozenset[UUID]
    credential: Credential
    grants: tuple[GrantFact, ...] = ()
    maps_users: bool = True
    _answers: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_owner(self) -> bool:
        """The owner's bypass inside the own tenant; nothing bypasses a tenant."""
        return self.role == OWNER

    @property
    def all_departments(self) -> bool:
        """Owner and admin see every department, unless their key is narrowed to some."""
        return self.role in (OWNER, ADMIN) and self.credential.departments is None

    @property
    def resource_id(self) -> str:
        """Under which id this caller's threads are kept."""
        return str(self.user_id)

    def in_scope(self, permission: str) -> bool:
        """Whether the credential's scopes let this permission through."""
        return holds(expanded(self.credential.scopes), permission)

    def may(self, permission: str) -> bool:
        """Whether role and scopes give the permission for every object of its kind."""
        answer = self._answers.get(permission)
        if answer is None:
            answer = self.in_scope(permission) and holds(self.permissions, permission)
            self._answers[permission] = answer
        return answer

    def opens(self, permission: str) -> bool:
        """Whether a route with this permission is open: by the role, or by a grant for some object."""
        return self.may(permission) or (
            self.in_scope(permission) and any(covers(grant.permission, permission) for grant in self.grants)
        )

    def granted_ids(self, permission: str, object_type: str) -> frozenset[str]:
        """The ids of the objects for which a grant gives this permission."""
        if not self.grants or not self.in_scope(permission):
            return frozenset()
        return frozenset(
            grant.object_id
            for grant in self.grants
            if grant.object_type == object_type and covers(grant.permission, permission)
        )

    @cached_property
    def rights_key(self) -> tuple[object, ...]:
        """Everything that decides what this caller sees: two callers with equal keys see the same surface."""
        credential = self.credential
        return (
            self.tenant_id,
            self.user_id,
            self.role,
            self.permissions,
            self.department_ids,
            self.grants,
            credential.kind == OAUTH,
            credential.scopes,
            credential.allowlist,
            credential.router,
            credential.read_only,
            credential.departments,
        )
