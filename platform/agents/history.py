"""Kept messages as the model reads them."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from conversations.format2 import Content, Part, text_of


def model_messages(messages: Iterable[tuple[str, Content]]) -> list[ModelMessage]:
    """(role, content) pairs in their order; an answer before the first question is left out."""
    found: list[ModelMessage] = []
    for role, content in messages:
        if role == "user":
            found.append(ModelRequest([UserPromptPart(text_of(content))]))
        elif role == "system":
            found.append(ModelRequest([SystemPromptPart(text_of(content))]))
        elif found:  # some providers refuse a conversation that an answer begins
            found.extend(_answer(content.get("parts", ())))
    return found


def _answer(parts: Iterable[Part]) -> Iterator[ModelMessage]:
    """An answer as the rounds it came in: what the model said and called, then what the tools returned."""
    said: list[ModelResponsePart] = []
    returned: list[ModelRequestPart] = []
    for part in parts:
        call = part.get("toolInvocation") if part["type"] == "tool-invocation" else None
        if returned and call is None:
            yield from (ModelResponse(said), ModelRequest(returned))
            said, returned = [], []
        if call is not None and "result" in call:  # a call without a result would be refused
            said.append(ToolCallPart(call["toolName"], _arguments(call), call["toolCallId"]))
            returned.append(ToolReturnPart(call["toolName"], call["result"], call["toolCallId"]))
        elif part["type"] == "text" and part.get("text"):
            said.append(TextPart(part["text"]))
    if said:
        yield ModelResponse(said)
    if returned:
        yield ModelRequest(returned)


def _arguments(call: dict[str, Any]) -> dict[str, Any]:
    arguments = call["args"]
    return dict(arguments) if isinstance(arguments, dict) else {}
