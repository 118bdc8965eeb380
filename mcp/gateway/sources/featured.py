"""Featured objects: a tool of its own for each one that the caller may call."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from uuid import UUID

from agents.models import Agent
from api.doors import ROUTER_TOOLS
from api.toolsets import ObjectTool, specs
from gateway.catalog import wire_name
from gateway.models import Featured, FeaturedAgent, FeaturedWorkflow
from gateway.sources.templates import template
from identity.principal import Principal
from toolbox import tools as toolbox
from toolbox.registry import declared
from workflows.definitions import visible
from workflows.tools import WORKFLOW_RUN_CANCEL, WORKFLOW_START, own_tool

AGENT_CALL = "agent_call"

SUMMARY_LENGTH = 299  # characters


def featured_agents(principal: Principal) -> Iterator[ObjectTool]:
    """`agent_<id>` for every featured agent that is enabled and that this caller may call, by id."""
    spec = specs().get(AGENT_CALL)
    if spec is None:
        return
    rows = FeaturedAgent.objects.filter(tenant_id=principal.tenant_id).values("agent_id")
    agents = Agent.objects.visible_to(principal, "agents:execute").filter(pk__in=rows, enabled=True)
    for slug, name, description in agents.order_by("slug").values_list("slug", "name", "description"):
        yield ObjectTool(
            prefix=FeaturedAgent.prefix,
            object_id=slug,
            title=name,
            summary=summary(
                f"Sends a message to the agent {name} and returns its answer with the threadId that continues it.",
                description,
            ),
            spec=spec,
            fixed={"agentId": slug},
        )


def featured_workflows(principal: Principal) -> Iterator[ObjectTool]:
    """`workflow_<id>` for every featured workflow that is enabled and that this caller may start, by id."""
    rows = list(FeaturedWorkflow.objects.filter(tenant_id=principal.tenant_id).values_list("workflow_id", flat=True))
    if not rows:
        return
    answer = template(WORKFLOW_START, "workflows").output_schema
    for workflow in visible(principal, "workflows:execute").filter(pk__in=rows, enabled=True).order_by("slug"):
        said = f"Starts the workflow {workflow.name} and returns its result, or what it waits for and the runId."
        found = own_tool(workflow, prefix=FeaturedWorkflow.prefix, summary=summary(said, workflow.description))
        yield replace(found, output_schema=answer)


# The tool that the tools of featured objects follow → how they are found.
FEATURED: Mapping[str, Callable[[Principal], Iterator[ObjectTool]]] = {
    AGENT_CALL: featured_agents,
    WORKFLOW_RUN_CANCEL.name: featured_workflows,
}


def known_names(tenant_id: UUID | None) -> list[str]:
    """What an allowlist may name besides the platform's tools; None: for every tenant."""
    featured = chain(_names(FeaturedAgent, tenant_id), _names(FeaturedWorkflow, tenant_id))
    return [*sorted(ROUTER_TOOLS), *featured, *(wire_name(toolbox.PREFIX, tool_id) for tool_id in declared())]


def _names(model: type[Featured], tenant_id: UUID | None) -> Iterator[str]:
    found = model._default_manager.all()
    rows = found if tenant_id is None else found.filter(tenant_id=tenant_id)
    for slug in rows.values_list(f"{model.featured}__slug", flat=True):
        yield wire_name(model.prefix, slug)


def summary(said: str, description: str | None) -> str:
    """What the tool does, for a model, with the object's own description."""
    about = " ".join((description or "").split())
    said = said if len(said) <= SUMMARY_LENGTH else said[: SUMMARY_LENGTH - 1].rstrip() + "…"
    room = SUMMARY_LENGTH - len(said) - 1
    if len(about) > room:
        about = about[: room - 1].rstrip() + "…" if room > 1 else ""
    return f"{said} {about}".strip()
