"""The demo's featured agent: one tool of its own in every listing that may call it."""

from typing import Any

from agents.models import Agent
from gateway.models import FeaturedAgent


def make(context: Any) -> None:
    """Feature the agent that the agents' demo names."""
    tenant, slug = context.made["tenant"], context.facts["agents"]["featured"]
    FeaturedAgent.objects.get_or_create(tenant=tenant, agent=Agent.objects.get(tenant=tenant, slug=slug))
