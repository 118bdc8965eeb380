"""The rows of a tenant's tools: made when they are first asked for, one for each declared tool."""

from uuid import UUID

from ground.errors import NotFound
from ground.invalidation import ProcessCache
from identity.principal import Principal
from toolbox.models import Tool
from toolbox.registry import declared

_made: ProcessCache[tuple[object, ...], bool] = ProcessCache("surface")


def ensure_rows(tenant_id: UUID) -> None:
    """Make the rows that this tenant lacks; asked of the database once in a while."""
    wanted = tuple(declared())
    _made.load((tenant_id, wanted), lambda: _make(tenant_id, wanted), lambda _: tenant_id)


def _make(tenant_id: UUID, wanted: tuple[str, ...]) -> bool:
    known = set(Tool.objects.filter(tenant_id=tenant_id).values_list("slug", flat=True))
    missing = [Tool(tenant_id=tenant_id, slug=tool_id) for tool_id in wanted if tool_id not in known]
    if missing:
        Tool.objects.bulk_create(missing, ignore_conflicts=True)
    return True


def usable(principal: Principal, permission: str | None = None) -> "list[str]":
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
