"""Stored workflows of a tenant, written as its staff would."""

from typing import Any

from ground.invalidation import announce
from identity.models import Tenant
from workflows.definitions import check_graph
from workflows.models import STORED, Workflow


def store(tenant: Tenant, slug: str, graph: dict[str, Any], **facts: Any) -> Workflow:
    """Check and keep a graph."""
    workflow = Workflow(tenant=tenant, slug=slug, name=facts.pop("name", slug), origin=STORED, graph=graph, **facts)
    check_graph(workflow)
    workflow.save()
    announce("surface", tenant.id)
    return workflow


def calls(name: str, **options: Any) -> dict[str, Any]:
    """A step that calls a function."""
    return {"type": "step", "step": {"id": options.pop("id", name), "function": name, **options}}
