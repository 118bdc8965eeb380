"""Routes of agents."""

from agents.views import AgentGenerateView, AgentsView, AgentView
from api.routes import route

urlpatterns = [
    route("agents", AgentsView, name="agents"),
    route("agents/<str:agent_id>", AgentView, name="agent"),
    route("agents/<str:agent_id>/generate", AgentGenerateView, name="agent-generate"),
]
