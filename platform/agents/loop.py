"""The agent loop: model, tools, model …, until there is an answer or the steps are used up."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic_ai import Agent as Loop
from pydantic_ai import CallToolsNode, FunctionToolset, ModelRequestNode, UsageLimits
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.settings import ModelSettings

from ground.errors import PlatformError
from inference.failures import explained
from inference.lending import borrowed
from inference.registry import Target

# Without a model, instructions or tools of its own: every run brings them.
_loop: Loop[None, str] = Loop(name="agent")
_unlimited = UsageLimits(request_limit=None)


@dataclass(frozen=True, slots=True)
class Task:
    """Everything one run needs; nothing in it is bound to a database or a loop."""

    target: Target
    prompt: str
    history: Sequence[ModelMessage]
    instructions: str
    tools: FunctionToolset[None] | None
    settings: ModelSettings
    max_steps: int


@dataclass(frozen=True, slots=True)
class Step:
    """One model call, and what came back from the tools it called."""

    response: ModelResponse
    returned: ModelRequest = field(default_factory=lambda: ModelRequest([]))


async def run(task: Task, trace_id: str) -> list[Step]:
    """The steps of a run; UpstreamFailed or TimedOut when the model fails. Runs on the background loop."""
    try:
        async with borrowed(task.target) as model, _loop.iter(
            task.prompt,
            model=model,
            instructions=task.instructions or None,
            message_history=task.history,
            toolsets=[task.tools] if task.tools else None,
            model_settings=task.settings,
            usage_limits=_unlimited,
        ) as progress:  # fmt: skip
            asked = 0
            rest: list[ModelMessage] = []
            async for node in progress:
                asked += isinstance(node, CallToolsNode)
                if isinstance(node, ModelRequestNode) and asked >= task.max_steps:
                    rest = [node.request]
                    break
            return _steps([*progress.new_messages(), *rest])
    except PlatformError:
        raise
    except Exception as failure:
        raise explained(failure, task.target.model_id, trace_id) from failure


def _steps(messages: Sequence[ModelMessage]) -> list[Step]:
    found: list[Step] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            found.append(Step(message))
        elif found:
            found[-1] = Step(found[-1].response, message)
    return found
