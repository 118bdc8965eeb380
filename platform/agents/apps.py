"""Agents: who they are, and talking to them."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Agents, generate."""

    name = "agents"

    def ready(self) -> None:
        from agents.actions import find_agent  # models are ready only now
        from api import references

        references.register("agent", find_agent)
