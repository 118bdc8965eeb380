"""The agents toolset."""

from typing import Any

from rest_framework import serializers

from agents.answers import visible_ids
from agents.serializers import AgentAnswer, UsageAnswer
from api.calls import Call
from api.routes import get, patch, post
from api.serializers import CamelSerializer, Text
from api.toolsets import Arguments, Toolset, ToolSpec
from conversations.models import ID_CHARACTERS
from identity.principal import Principal

MOST_CHOICES = 1001  # one more than any listing shows


class AgentLine(CamelSerializer):
    """One agent of the list."""

    id = Text(help_text="Pass it as agentId.")
    name = Text()
    description = Text(allow_null=True)


class AgentList(CamelSerializer):
    """The agents that the caller sees."""

    agents = serializers.ListField(child=AgentLine())


class AgentCallArguments(CamelSerializer):
    """What a caller says to an agent, and in which thread."""

    agent_id = Text(max_length=120, help_text="The agent's id, from agent_list.")
    message = Text(help_text="What to say to the agent.")
    thread_id = Text(
        required=False,
        max_length=ID_CHARACTERS,
        help_text="The thread to continue, from an earlier answer; without it, a new one.",
    )
    resource_id = Text(
        required=False, max_length=ID_CHARACTERS, help_text="Whose thread it is; leave it out for your own."
    )


class AgentCallAnswer(CamelSerializer):
    """An agent's answer."""

    text = Text(help_text="The answer.")
    thread_id = Text(allow_null=True, help_text="Pass it back to continue; null when the agent keeps no conversations.")
    finish_reason = Text(help_text="stop, tool-calls, length, content-filter, error or other.")
    usage = UsageAnswer(help_text="Tokens of the whole turn.")


def agent_choices(principal: Principal, permission: str) -> list[str]:
    """The ids that an `agentId` may be."""
    return visible_ids(principal, permission, limit=MOST_CHOICES)


def _list(arguments: Arguments) -> Call:
    query = {"partial": "true", **({"query": arguments["query"]} if arguments.get("query") else {})}
    return Call("agents", "GET", query=query)


def _lines(agents: dict[str, Any], arguments: Arguments) -> dict[str, Any]:
    return {
        "agents": [
            {"id": agent["id"], "name": agent["name"], "description": agent["description"] or None}
            for agent in agents.values()
        ]
    }


def _say(arguments: Arguments) -> Call:
    memory: dict[str, Any] = {}
    if arguments.get("threadId"):
        memory["thread"] = arguments["threadId"]
    if arguments.get("resourceId"):
        memory["resource"] = arguments["resourceId"]
    body = {"messages": arguments["message"], "memory": memory}
    return Call("agent-generate", "POST", path={"agent_id": arguments["agentId"]}, body=body)


def _answer(reply: dict[str, Any], arguments: Arguments) -> dict[str, Any]:
    return {name: reply[name] for name in ("text", "threadId", "finishReason", "usage")}


AGENT_LIST = ToolSpec(
    "agent_list",
    "List agents",
    "Lists the agents you can use, each with id, name and description. Use it first to find an agentId; query keeps "
    "those whose id or name contains the text.",
    (get("agents"),),
    aliases=("list_agents",),
    takes=("query",),
    plan=_list,
    shape=_lines,
    returns=AgentList,
    idempotent=True,
    keywords="assistants bots find who can help directory",
)
AGENT_GET = ToolSpec(
    "agent_get",
    "Get an agent",
    "Reads one agent: what it is for, its model, its tools, its department, whether it is enabled, and, if you may "
    "read them, its instructions.",
    (get("agent"),),
    aliases=("get_agent",),
    takes=("agentId*",),
    choices={"agentId": agent_choices},
    returns=AgentAnswer,
    idempotent=True,
    keywords="assistant details instructions system prompt model describe",
)
AGENT_CALL = ToolSpec(
    "agent_call",
    "Call an agent",
    "Sends a message to an agent and returns its answer as text, with the threadId of the conversation. Pass that "
    "threadId back to continue; leave it out to start anew.",
    (post("agent-generate"),),
    aliases=("call_agent",),
    arguments=AgentCallArguments,
    choices={"agentId": agent_choices},
    plan=_say,
    shape=_answer,
    returns=AgentCallAnswer,
    open_world=True,
    keywords="ask chat talk message assistant generate delegate conversation",
)
AGENT_UPDATE = ToolSpec(
    "agent_update",
    "Update an agent",
    "Changes an agent's name, description, department, tags, or whether it is enabled; what you leave out stays. With "
    "dry_run nothing is written and the changes are returned.",
    (patch("agent"),),
    aliases=("update_agent",),
    takes=("agentId*", "name", "description", "departmentId", "enabled", "tags"),
    choices={"agentId": agent_choices},
    idempotent=True,
    dry_run=True,
    keywords="rename enable disable switch off tag move department assistant edit",
)

TOOLSETS = (Toolset("agents", (AGENT_LIST, AGENT_GET, AGENT_CALL, AGENT_UPDATE)),)
