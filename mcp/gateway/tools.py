"""The tools of the session: call these first."""

from api.routes import get
from api.toolsets import Toolset, ToolSpec
from gateway.serializers import ContextAnswer, WhoamiAnswer

TOOLSETS = (
    Toolset(
        "session",
        (
            ToolSpec(
                name="whoami",
                title="Who am I",
                summary=(
                    "Tells who you act for: user, role, tenant, departments, open missions, limits, and which tools "
                    "this credential reaches or hides, and why. Call it first in every session."
                ),
                routes=(get("whoami"),),
                returns=WhoamiAnswer,
                keywords="identity account permissions rights allowed session login credential key role profile me",
                always=True,
            ),
            ToolSpec(
                name="get_context",
                title="Get the operating manual",
                summary=(
                    "Returns the operating manual as one text: the most important memories and knowledge you may read, "
                    "within maxTokens. Call it once at the start of a session, after whoami."
                ),
                routes=(get("context"),),
                takes=("maxTokens", "agentId", "departmentId", "query"),
                returns=ContextAnswer,
                text=lambda answer: answer["context"],
                keywords="background briefing rules guidelines onboarding knowledge memories manual instructions",
                always=True,
            ),
        ),
    ),
)
