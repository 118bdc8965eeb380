"""`offline/demo`: a model without a network. It answers from its instructions and from what was said before, and calls
tools whose arguments it can read out of the message. The same input always gives the same answer."""

import json
from collections.abc import Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo

from inference.offline_tools import inferred_call
from inference.offline_words import best_match, sentences


async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """The next message of the conversation."""
    said = _said(messages)
    question, earlier = (said[-1], said[:-1]) if said else ("", [])
    results = _results(messages)
    called = {result.tool_name for result in results}
    tools = [tool for tool in info.function_tools if tool.name not in called]
    if call := inferred_call(question, tools):
        name, arguments = call
        return ModelResponse(
            parts=[ToolCallPart(name, arguments, f"call_{len(called) + 1}")], finish_reason="tool_call"
        )
    return ModelResponse(
        parts=[TextPart(_text(question, earlier, results, info.instructions or ""))], finish_reason="stop"
    )


def _text(question: str, earlier: Sequence[str], results: Sequence[ToolReturnPart], instructions: str) -> str:
    if results:
        return "\n".join(f"{result.tool_name} returned: {_shown(result.content)}" for result in results)
    lines = [f"You said: {question}"]
    if remembered := best_match(question, earlier):
        lines.append(f"Earlier you said: {remembered}")
    rules = sentences(instructions)
    if rule := best_match(question, rules) or next(iter(rules), None):
        lines.append(f"My instructions say: {rule}")
    return "\n".join(lines)


def _shown(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, sort_keys=True, default=str)


def _said(messages: Sequence[ModelMessage]) -> list[str]:
    parts = (part for message in messages if isinstance(message, ModelRequest) for part in message.parts)
    return [_prompt(part) for part in parts if isinstance(part, UserPromptPart)]


def _prompt(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    return " ".join(item for item in part.content if isinstance(item, str))


def _results(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    """What tools returned since the user last spoke."""
    found: list[ToolReturnPart] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                found = []
            elif isinstance(part, ToolReturnPart):
                found.append(part)
    return found
