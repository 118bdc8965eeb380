"""What callers read of agents: the queries, and the one shape they answer with."""

from typing import Any

from django.db.models import BooleanField, Exists, OuterRef, QuerySet, Value

from agents.builtin_tools import described
from agents.models import Agent
from conversations.format2 import iso
from ground.errors import NotFound
from ground.invalidation import ProcessCache
from identity.principal import Principal

# Instructions are for those who may read stored agents, this agent among them.
READS_INSTRUCTIONS = "stored-agents:read"

_FIELDS = (
    "slug", "name", "description", "instructions", "model", "tools", "department_id", "visibility", "tags", "enabled",
    "memory", "metadata", "source", "created_at", "updated_at", "shows_instructions",
)  # fmt: skip

_listed: ProcessCache[tuple[object, ...], tuple[dict[str, Any], ...]] = ProcessCache("surface", 512)

# Of an agent that is one model with instructions and tools.
_ABSENT: dict[str, Any] = {
    "agents": {},
    "workflows": {},
    "skills": [],
    "workspaceTools": [],
    "browserTools": [],
    "hasBrowser": False,
    "inputProcessors": [],
    "outputProcessors": [],
    "modelVersion": None,
    "defaultOptions": {},
    "defaultGenerateOptionsLegacy": {},
    "defaultStreamOptionsLegacy": {},
    "hasDraft": False,
}


def list_agents(principal: Principal, *, query: str = "", partial: bool = False) -> dict[str, dict[str, Any]]:
    """The visible agents by id, in the order of ids; `query` keeps those whose id or name contains it, any case."""
    wanted = query.casefold()
    return {
        row["slug"]: _shown(row, schemas=not partial)
        for row in _rows(principal)
        if wanted in row["slug"].casefold() or wanted in row["name"].casefold()
    }


def get_agent(principal: Principal, agent_id: str) -> dict[str, Any]:
    """One visible agent; NotFound for a missing and a foreign one alike."""
    row = _readable(principal).by_public_id(agent_id).values(*_FIELDS).first()
    if row is None:
        raise NotFound(Agent.missing_sentence(agent_id))
    return _shown(row, schemas=True)


def shown_agent(principal: Principal, agent: Agent) -> dict[str, Any]:
    """An agent that was just written, as its reader sees it."""
    row = {name: getattr(agent, name) for name in _FIELDS if name != "shows_instructions"}
    readers = Agent.objects.visible_to(principal, READS_INSTRUCTIONS)
    return _shown({**row, "shows_instructions": readers.filter(pk=agent.pk).exists()}, schemas=True)


def visible_ids(principal: Principal, permission: str, *, limit: int) -> list[str]:
    """The ids, in their order, that the caller may use with this permission; only enabled ones can be called."""
    visible = Agent.objects.visible_to(principal, permission)
    if permission == "agents:execute":
        visible = visible.filter(enabled=True)
    return list(visible.order_by("slug").values_list("slug", flat=True)[:limit])


def _rows(principal: Principal) -> tuple[dict[str, Any], ...]:
    """Every visible agent, from memory until an agent or somebody's rights change."""

    def read() -> tuple[dict[str, Any], ...]:
        return tuple(_readable(principal).order_by("slug").values(*_FIELDS))

    return _listed.load(principal.rights_key, read, lambda _: principal.tenant_id)


def _readable(principal: Principal) -> Any:
    visible = Agent.objects.visible_to(principal)
    return visible.annotate(shows_instructions=_may_read_instructions(principal))


def _may_read_instructions(principal: Principal) -> Any:
    if principal.may(READS_INSTRUCTIONS) and not principal.granted_ids("agents:read", Agent.object_type):
        return Value(True)  # every visible row is visible by the role, with both permissions
    readers: QuerySet[Agent] = Agent.objects.visible_to(principal, READS_INSTRUCTIONS)
    return Exists(readers.filter(pk=OuterRef("pk")), output_field=BooleanField())


def _shown(row: dict[str, Any], *, schemas: bool) -> dict[str, Any]:
    provider, _, model_id = row["model"].partition("/")
    return {
        "id": row["slug"],
        "name": row["name"],
        "description": row["description"] or "",
        "instructions": row["instructions"] if row["shows_instructions"] else None,
        "tools": described(row["tools"], schemas=schemas),
        **_ABSENT,
        "provider": provider,
        "modelId": model_id,
        "supportsMemory": row["memory"],
        "source": row["source"],
        "departmentId": str(row["department_id"]) if row["department_id"] else None,
        "visibility": row["visibility"],
        "enabled": row["enabled"],
        "tags": row["tags"],
        "metadata": row["metadata"],
        "createdAt": iso(row["created_at"]),
        "updatedAt": iso(row["updated_at"]),
    }
