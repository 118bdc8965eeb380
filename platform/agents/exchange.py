"""One turn between a caller and an agent: what was asked, what is recalled, where it is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import uuid4

from django.db import transaction
from pydantic_ai import FunctionToolset
from pydantic_ai.settings import ModelSettings

from agents.builtin_tools import missing, offered, toolset
from agents.history import model_messages
from agents.loop import Task
from agents.models import Agent
from conversations.actions import RECENT, Turn, find_thread, open_thread, recent_messages, save_turn
from conversations.format2 import text_of
from conversations.models import Message, Thread
from ground.errors import InvalidInput, Unprocessable
from identity.principal import Principal
from inference.registry import Target, resolve

MAX_STEPS = 5

_SETTINGS = {"max_output_tokens": "max_tokens"}

Wishes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn that is ready to run; the caller's part of it is already kept."""

    agent_id: str
    task: Task
    run_id: str
    said: Sequence[Turn]
    remembered: Sequence[Message] = ()
    thread: Thread | None = None
    keeps: bool = False
    warnings: list[dict[str, str]] = field(default_factory=list)

    @property
    def place(self) -> tuple[str | None, str | None]:
        """Thread id and resource id, where the turn belongs to a thread."""
        return (self.thread.thread_id, self.thread.resource_id) if self.thread else (None, None)


def prepare(principal: Principal, agent: Agent, wishes: Wishes) -> Exchange:
    """Read the wishes, open the thread, recall, and keep what the caller said: all of it, or nothing."""
    said: list[Turn] = wishes["messages"]
    if said[-1].role != "user":
        raise InvalidInput(issues=[{"field": "messages", "message": "the last message must be the user's"}])
    target = resolve(principal.tenant_id, wishes.get("model") or agent.model)
    names, run_id = offered(principal, _tools(agent, wishes)), wishes.get("run_id") or str(uuid4())
    tools = toolset(principal, names, run_id) if names else None
    memory = _memory(wishes)
    warnings: list[dict[str, str]] = []
    if memory is not None and not agent.memory:
        memory = None
        warnings.append({"type": "other", "message": "This agent keeps no conversations; the thread was left alone."})
    with transaction.atomic():
        thread, remembered, keeps = _recalled(principal, agent, memory, said)
    return Exchange(
        agent_id=agent.slug,
        task=_task(agent, target, wishes, remembered, tools),
        run_id=run_id,
        said=said,
        remembered=remembered,
        thread=thread,
        keeps=keeps,
        warnings=warnings,
    )


def _tools(agent: Agent, wishes: Wishes) -> list[str]:
    if gone := missing(agent.tools):
        raise Unprocessable(f"Agent {agent.slug} uses tools that do not exist: {', '.join(gone)}; edit the agent.")
    active = wishes.get("active_tools")
    if active and (foreign := [name for name in active if name not in agent.tools]):
        message = f"the agent has no tool {foreign[0]!r}; it has: {', '.join(agent.tools) or 'none'}"
        raise InvalidInput(issues=[{"field": "activeTools", "message": message}])
    if wishes.get("tool_choice") == "none":
        return []
    return [name for name in agent.tools if active is None or name in active]


def _memory(wishes: Wishes) -> dict[str, Any] | None:
    """`memory` with the short forms `threadId` and `resourceId` in it; None when the caller wants no thread."""
    written, thread_id, resource_id = wishes.get("memory"), wishes.get("thread_id"), wishes.get("resource_id")
    if written is None and thread_id is None and resource_id is None:
        return None
    memory = dict(written or {})
    thread = dict(memory.get("thread") or {})
    for name, short, long in (
        ("threadId", thread_id, thread.get("id")),
        ("resourceId", resource_id, memory.get("resource")),
    ):
        if short and long and short != long:
            raise InvalidInput(issues=[{"field": name, "message": "contradicts the same value in memory"}])
    return {
        **memory,
        "thread": {**thread, "id": thread.get("id") or thread_id},
        "resource": memory.get("resource") or resource_id,
    }


def _recalled(
    principal: Principal, agent: Agent, memory: dict[str, Any] | None, said: Sequence[Turn]
) -> tuple[Thread | None, list[Message], bool]:
    if memory is None:
        return None, [], False
    thread_id, resource_id = memory["thread"]["id"], memory["resource"]
    keeps = not memory.get("read_only", False)
    thread = (
        open_thread(
            principal,
            thread_id=thread_id,
            resource_id=resource_id,
            agent_id=agent.slug,
            title=memory["thread"].get("title", ""),
            metadata=memory["thread"].get("metadata"),
        )
        if keeps
        else find_thread(principal, thread_id=thread_id or "", resource_id=resource_id)
    )
    count = memory.get("options", {}).get("last_messages", RECENT)
    remembered = recent_messages(thread, count) if count else []
    if keeps:
        save_turn(thread, [turn for turn in said if turn.role != "system"])
    return thread, remembered, keeps


def _task(
    agent: Agent,
    target: Target,
    wishes: Wishes,
    remembered: Sequence[Message],
    tools: FunctionToolset[None] | None,
) -> Task:
    said: list[Turn] = wishes["messages"]
    own = wishes.get("instructions")
    instructions = [agent.instructions if own is None else own, wishes.get("system") or ""]
    before = [
        *((message.role, message.content) for message in remembered),
        *((turn.role, turn.content) for turn in wishes.get("context") or ()),
        *((turn.role, turn.content) for turn in said[:-1]),
    ]
    return Task(
        target=target,
        prompt=text_of(said[-1].content),
        history=model_messages(before),
        instructions="\n\n".join(text for text in instructions if text),
        tools=tools,
        settings=_settings(wishes.get("model_settings") or {}),
        max_steps=wishes.get("max_steps") or MAX_STEPS,
    )


def _settings(wished: Wishes) -> ModelSettings:
    return cast(ModelSettings, {_SETTINGS.get(name, name): value for name, value in wished.items()})
