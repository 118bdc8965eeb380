"""The rows of a tenant's tools: made when they are first asked for, one for each declared tool."""

from uuid import UUID

from django.db import transaction

from ground.errors import NotFound
from identity.principal import Principal
from toolbox.models import Tool
from toolbox.registry import declared

# (tenant, tools) whose rows are there; rows only go with their tenant.
_made: set[tuple[UUID, tuple[str, ...]]] = set()
MOST_REMEMBERED = 4096


def ensure_rows(tenant_id: UUID) -> None:
    """Make the rows that this tenant lacks; done once in a process."""
    known = (tenant_id, tuple(declared()))
    if known in _made:
        return
    Tool.objects.bulk_create([Tool(tenant_id=tenant_id, slug=slug) for slug in known[1]], ignore_conflicts=True)
    if transaction.get_connection().in_atomic_block:
        return  # it may be rolled back
    if len(_made) >= MOST_REMEMBERED:
        _made.clear()
    _made.add(known)


def usable(principal: Principal, permission: str | None = None) -> list[str]:
    """The ids, in their order, of the enabled tools that the caller may use with this permission."""
    ensure_rows(principal.tenant_id)
    rows = Tool.objects.visible_to(principal, permission).filter(enabled=True, slug__in=list(declared()))
    return list(rows.order_by("slug").values_list("slug", flat=True))


def find_tool(principal: Principal, tool_id: str, permission: str | None = None) -> Tool:
    """The visible, enabled row of a declared tool; NotFound for everything else alike."""
    ensure_rows(principal.tenant_id)
    found: Tool = Tool.objects.filter(enabled=True).get_visible(principal, tool_id, permission)
    if found.slug not in declared():
        raise NotFound(Tool.missing_sentence(tool_id))
    return found
