"""/agents: list, read, change, talk to."""

from typing import Any

from agents import answers, generate
from agents.actions import update_agent
from agents.serializers import AgentAnswer, AgentListQuery, AgentQuery, AgentUpdateBody, GenerateAnswer, GenerateBody
from api.naming import camel
from api.operations import operation
from api.replies import Change, Pending, Written
from api.views import PlatformView


class AgentsView(PlatformView):
    """All agents."""

    @operation("agents:read", query=AgentListQuery)
    def get(self, request: Any, query: dict[str, Any]) -> dict[str, Any]:
        """List the visible agents, keyed by id."""
        return answers.list_agents(request.auth, query=query.get("query", ""), partial=query.get("partial") == "true")


class AgentView(PlatformView):
    """One agent."""

    @operation("agents:read", query=AgentQuery, returns=AgentAnswer)
    def get(self, request: Any, agent_id: str, query: dict[str, Any]) -> dict[str, Any]:
        """Read one agent."""
        return answers.get_agent(request.auth, agent_id)

    @operation("agents:write", body=AgentUpdateBody, returns=AgentAnswer, dry_run=True)
    def patch(self, request: Any, agent_id: str, body: dict[str, Any]) -> Written:
        """Change name, description, department, tags, or whether the agent can be called."""
        done = update_agent(request.auth, agent_id, **body)
        change = Change("update", "agent", done.agent.slug, _outside(done.before), _outside(done.after))
        return Written(answers.shown_agent(request.auth, done.agent), change)


class AgentGenerateView(PlatformView):
    """A turn with an agent."""

    waits = True

    @operation("agents:execute", body=GenerateBody, returns=GenerateAnswer)
    def post(self, request: Any, agent_id: str, body: dict[str, Any]) -> Pending:
        """Say something to an agent and get its answer."""
        return generate.begin(request.auth, agent_id, body)


def _outside(values: dict[str, Any]) -> dict[str, Any]:
    return {camel(name): str(value) if name == "department_id" and value else value for name, value in values.items()}
