"""Changing who may use a tool. Whatever a caller sees of tools changes with a word to every process."""

from collections.abc import Iterable

from django.db import transaction

from ground.errors import Forbidden
from ground.invalidation import announce
from identity.principal import Principal
from receipts import audit
from toolbox.models import Tool


@transaction.atomic
def save_tool(principal: Principal, tool: Tool, changed: Iterable[str] = ()) -> Tool:
    """Enable or disable a tool of the principal's tenant, or give it a department, in the admin."""
    check_writes(principal)
    tool.full_clean()
    tool.save(update_fields=["department", "enabled", "updated_at"])
    announce("surface", tool.tenant_id)
    audit.record(
        principal, door="admin", operation="save tool", object_type="tool", object_id=tool.slug, changed=changed,
        outcome="ok", status=200,
    )  # fmt: skip
    return tool


def check_writes(principal: Principal) -> None:
    """Raise Forbidden unless the principal may write tools."""
    if not principal.may("tools:write"):
        raise Forbidden("tools:write")
