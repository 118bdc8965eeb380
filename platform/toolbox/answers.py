"""What callers read of tools: the one shape they answer with."""

from typing import Any

from ground.invalidation import ProcessCache
from identity.principal import Principal
from toolbox.declaring import Declared
from toolbox.registry import declared
from toolbox.rows import find_tool, usable

_listed: ProcessCache[tuple[object, ...], tuple[str, ...]] = ProcessCache("surface", 512)


def list_tools(principal: Principal, *, query: str = "", partial: bool = False) -> dict[str, dict[str, Any]]:
    """The visible tools by id, in the order of ids; `query` keeps those whose id or description contains it."""
    wanted = query.casefold()
    return {
        tool.id: shown(tool, schemas=not partial)
        for tool in usable_tools(principal, "tools:read")
        if wanted in tool.id.casefold() or wanted in tool.description.casefold()
    }


def get_tool(principal: Principal, tool_id: str) -> dict[str, Any]:
    """One visible tool; NotFound for a missing, a foreign and a disabled one alike."""
    return shown(declared()[find_tool(principal, tool_id).slug], schemas=True)


def usable_tools(principal: Principal, permission: str) -> list[Declared]:
    """What the caller may use with this permission, by id; from memory until a tool or somebody's rights change."""
    known = declared()
    key = (principal.rights_key, permission, tuple(known))
    ids = _listed.load(key, lambda: tuple(usable(principal, permission)), lambda _: principal.tenant_id)
    return [known[tool_id] for tool_id in ids]


def shown(tool: Declared, *, schemas: bool) -> dict[str, Any]:
    """A tool as its readers see it."""
    body: dict[str, Any] = {"id": tool.id, "description": tool.description, "requireApproval": tool.requires_approval}
    if schemas:
        body["inputSchema"] = tool.input_schema
        if tool.output_schema is not None:
            body["outputSchema"] = tool.output_schema
    if tool.annotations:
        body |= {"annotations": dict(tool.annotations), "mcp": {"annotations": dict(tool.annotations)}}
    return body
