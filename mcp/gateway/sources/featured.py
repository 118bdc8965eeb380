"""Featured objects: a tool of its own for each one that the caller may call."""

from collections.abc import Callable, Iterator, Mapping
from uuid import UUID

from agents.models import Agent
from api.doors import ROUTER_TOOLS
from api.toolsets import ObjectTool, specs
from gateway.catalog import wire_name
from gateway.models import FeaturedAgent
from identity.principal import Principal
from toolbox import tools as toolbox
from toolbox.registry import declared

PREFIX = "agent_"
CALL = "agent_call"

SUMMARY_LENGTH = 299  # characters


def featured_agents(principal: Principal) -> Iterator[ObjectTool]:
    """`agent_<id>` for every featured agent that is enabled and that this caller may call, by id."""
    spec = specs().get(CALL)
    if spec is None:
        return
    rows = FeaturedAgent.objects.filter(tenant_id=principal.tenant_id).values("agent_id")
    agents = Agent.objects.visible_to(principal, "agents:execute").filter(pk__in=rows, enabled=True)
    for slug, name, description in agents.order_by("slug").values_list("slug", "name", "description"):
        yield ObjectTool(
            prefix=PREFIX,
            object_id=slug,
            title=name,
            summary=summary(name, description),
            spec=spec,
            fixed={"agentId": slug},
        )


# The tool that the tools of featured objects follow → how they are found.
FEATURED: Mapping[str, Callable[[Principal], Iterator[ObjectTool]]] = {CALL: featured_agents}


def known_names(tenant_id: UUID | None) -> list[str]:
    """What an allowlist may name besides the platform's tools; None: for every tenant."""
    rows = FeaturedAgent.objects.all() if tenant_id is None else FeaturedAgent.objects.filter(tenant_id=tenant_id)
    agents = (wire_name(PREFIX, slug) for slug in rows.values_list("agent__slug", flat=True))
    return [*sorted(ROUTER_TOOLS), *agents, *(wire_name(toolbox.PREFIX, tool_id) for tool_id in declared())]


def summary(name: str, description: str | None) -> str:
    """What the tool does, for a model, with the agent's own description."""
    said = f"Sends a message to the agent {name} and returns its answer with the threadId that continues it."
    about = " ".join((description or "").split())
    room = SUMMARY_LENGTH - len(said) - 1
    if len(about) > room:
        about = about[: room - 1].rstrip() + "…"
    return f"{said} {about}".strip()
