"""What a tool may know of the call that it serves."""

from dataclasses import dataclass, field
from typing import Any

from identity.principal import Principal


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Who calls, and for what: plain values, because a tool runs in another process.

    `seconds` is the time that the tool has; `idempotency_key` is the same when a call is tried again, so that a tool
    can hand it on to whoever carries out the effect.
    """

    tool_id: str
    tenant_id: str
    tenant_slug: str
    user_id: str
    user_name: str
    user_email: str
    role: str
    seconds: float
    run_id: str | None = None
    idempotency_key: str | None = None
    request_context: dict[str, Any] = field(default_factory=dict)


def context_of(principal: Principal, tool_id: str, seconds: float, **circumstances: Any) -> ToolContext:
    """The context of one call of the principal's."""
    return ToolContext(
        tool_id=tool_id,
        tenant_id=str(principal.tenant_id),
        tenant_slug=principal.tenant_slug,
        user_id=str(principal.user_id),
        user_name=principal.user_name,
        user_email=principal.user_email,
        role=principal.role,
        seconds=seconds,
        **circumstances,
    )
