"""Workflows with a tool of their own, and the ways in which tests look at it."""

from typing import Any

from gateway.models import FeaturedWorkflow
from identity.models import Tenant
from tests.gateway.clients import Door
from tests.workflows.stored import calls, store
from workflows.models import Workflow

OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def feature(tenant: Tenant, slug: str, graph: dict[str, Any], **facts: Any) -> Workflow:
    """A stored workflow with a tool of its own."""
    workflow = store(tenant, slug, graph, **facts)
    FeaturedWorkflow.objects.create(tenant=tenant, workflow=workflow)
    return workflow


def echoing(tenant: Tenant, slug: str, input_schema: Any = None, **facts: Any) -> Workflow:
    """A featured workflow that answers its input."""
    schema = {} if input_schema is None else {"inputSchema": input_schema}
    return feature(tenant, slug, {**schema, "steps": [{"type": "mapping", "mapping": "input"}]}, **facts)


def asking(tenant: Tenant, slug: str) -> Workflow:
    """A featured workflow that waits for a person."""
    return feature(tenant, slug, {"inputSchema": OBJECT, "steps": [calls("approval")]})


def definition(door: Door, key: str, name: str) -> dict[str, Any] | None:
    """The tool as it is listed, or None."""
    return next((tool for tool in door.listed(key) if tool["name"] == name), None)


def choices(door: Door, key: str, name: str) -> list[str] | None:
    """The enum of a tool's workflowId."""
    found = definition(door, key, name)
    assert found is not None
    enum: list[str] | None = found["inputSchema"]["properties"]["workflowId"].get("enum")
    return enum
