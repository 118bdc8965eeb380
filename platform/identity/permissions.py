"""The grammar of rights: `resource:action`, patterns over it, and what each scope and role carries by default."""

from collections.abc import Iterable
from functools import lru_cache

OWNER, ADMIN, OPERATOR, MEMBER, VIEWER = "owner", "admin", "operator", "member", "viewer"

# From the most powerful down; owner and admin see every department.
ROLES = (OWNER, ADMIN, OPERATOR, MEMBER, VIEWER)

DEFAULT_ROLE_PERMISSIONS: dict[str, tuple[str, ...]] = {
    OWNER: ("*",),
    ADMIN: ("*:read", "*:write", "*:execute", "*:publish", "observability:admin"),
    OPERATOR: (
        "*:read",
        "*:execute",
        "memory:write",
        "data:write",
        "missions:write",
        "stored-agents:write",
        "observability:admin",
    ),
    MEMBER: ("*:read", "*:execute", "memory:write", "data:write", "stored-agents:write"),
    VIEWER: ("*:read", "mcp:execute"),
}

RESOURCES = (
    "agents",
    "workflows",
    "tools",
    "memory",
    "observability",
    "stored-agents",
    "missions",
    "skills",
    "data",
    "departments",
    "mcp",
)
ACTIONS = ("read", "write", "execute", "publish", "admin")

# The three scopes of a credential and the patterns that each one carries.
SCOPES: dict[str, tuple[str, ...]] = {
    "mcp:read": ("*:read", "observability:admin"),
    "mcp:execute": ("*:execute",),
    "mcp:write": ("*:write", "*:publish"),
}


@lru_cache(maxsize=4096)
def covers(pattern: str, permission: str) -> bool:
    """Whether the held `pattern` carries `permission`: `*`, `*:read`, `agents:*` or the exact name."""
    if pattern in ("*", "*:*", permission):
        return True
    held_resource, _, held_action = pattern.partition(":")
    resource, _, action = permission.partition(":")
    return held_resource in ("*", resource) and held_action in ("*", action)


def holds(patterns: Iterable[str], permission: str) -> bool:
    """Whether any of the held patterns carries the permission."""
    return any(covers(pattern, permission) for pattern in patterns)


@lru_cache(maxsize=1024)
def expanded(scopes: frozenset[str]) -> frozenset[str]:
    """The patterns that these scopes carry: the broad ones spread out, narrower ones as they are."""
    return frozenset(pattern for scope in scopes for pattern in SCOPES.get(scope, (scope,))) | scopes


def every_permission() -> tuple[str, ...]:
    """All concrete `resource:action` names, for comparing two sets of patterns."""
    return tuple(f"{resource}:{action}" for resource in RESOURCES for action in ACTIONS)


def exceeds(patterns: Iterable[str], own: Iterable[str]) -> list[str]:
    """The permissions that `patterns` carry and `own` does not: what nobody may hand on."""
    asked, held = tuple(patterns), tuple(own)
    named = [*every_permission(), *(pattern for pattern in asked if "*" not in pattern)]
    return sorted({name for name in named if holds(asked, name) and not holds(held, name)})


def is_pattern(text: str) -> bool:
    """Whether the text is a pattern of the grammar over known resources and actions."""
    if text in ("*", "*:*"):
        return True
    resource, separator, action = text.partition(":")
    return bool(separator) and resource in (*RESOURCES, "*") and action in (*ACTIONS, "*")
