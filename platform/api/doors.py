"""What a credential opens over plain HTTP: a key only what a tool on its allowlist wraps."""

from typing import Any

from api.operations import Operation
from api.routes import view_of
from api.toolsets import ToolSpec, specs, wrapping
from ground.errors import Forbidden
from identity.principal import API_KEY, OAUTH, Credential

ROUTER_TOOLS = frozenset({"search_tools", "describe_tool", "execute_tool"})


def allows(allowlist: frozenset[str], name: str) -> bool:
    """Whether an allowlist (of canonical entries) holds the tool: by name, `namespace_*`, `server__*` or `*`."""
    if name in allowlist:
        return True
    if name in ROUTER_TOOLS:
        return False
    if "*" in allowlist:
        return True
    return any(entry.endswith("*") and name.startswith(entry[:-1]) for entry in allowlist)


def reads_only(name: str) -> bool:
    """Whether a tool's every route only reads."""
    return is_read_only(specs()[name])


def is_read_only(spec: ToolSpec) -> bool:
    """Whether every route of the tool only reads."""
    for route in spec.routes:
        found = view_of(route.name).operation_of(route.method)
        writes = route.method != "GET" if found is None or found.writes is None else found.writes
        if writes:
            return False
    return True


def check(request: Any, credential: Credential, operation: Operation) -> None:
    """Refuse a credential that does not open this route."""
    if credential.kind == OAUTH:
        raise Forbidden("mcp:read", "An access token opens /api/mcp only; use an API key for this route.")
    if credential.kind != API_KEY or credential.allowlist is None:
        return
    match = request._request.resolver_match
    names = wrapping().get((request.method, match.url_name if match else ""), frozenset())
    usable = {name for name in names if specs()[name].always or allows(credential.allowlist, name)}
    if (names and not usable) or (not names and "*" not in credential.allowlist):
        raise Forbidden(operation.permission or "mcp:execute", "This key's allowlist holds no tool for this route.")
    if credential.read_only and not any(reads_only(name) for name in usable):
        raise Forbidden(operation.permission or "mcp:execute", "This key is read-only.")
