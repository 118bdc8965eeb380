"""The demo's featured agent and workflow: a tool of their own in every listing that may call them."""

from typing import Any

from agents.models import Agent
from gateway.models import FeaturedAgent, FeaturedWorkflow
from workflows.models import Workflow


def make(context: Any) -> None:
    """Feature the agent and the workflow that the demos of their apps name."""
    tenant, facts = context.made["tenant"], context.facts
    agent = Agent.objects.get(tenant=tenant, slug=facts["agents"]["featured"])
    FeaturedAgent.objects.get_or_create(tenant=tenant, agent=agent)
    workflow = Workflow.objects.get(tenant=tenant, slug=facts["workflows"]["featured"])
    FeaturedWorkflow.objects.get_or_create(tenant=tenant, workflow=workflow)
