"""One step of a run in the shapes that callers read: as a record, as parts of a kept message, as plain messages."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart, ToolReturnPart
from pydantic_ai.usage import RequestUsage, RunUsage

from agents.loop import Step
from conversations.format2 import Part, iso, milliseconds, text_part
from inference.registry import Target

Body = dict[str, Any]

_REASONS = {"tool_call": "tool-calls", "content_filter": "content-filter"}


def finish_reason(response: ModelResponse) -> str:
    """Why the model stopped, in the words of the API."""
    if response.finish_reason is None:
        return "tool-calls" if response.tool_calls else "stop"
    return _REASONS.get(response.finish_reason, response.finish_reason)


def text_of(step: Step) -> str:
    """What the model said in this step; empty when it only called tools."""
    return "".join(part.content for part in step.response.parts if isinstance(part, TextPart))


def usage_body(usage: RequestUsage | RunUsage) -> Body:
    """Tokens in the words of the API."""
    body = {
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "totalTokens": usage.input_tokens + usage.output_tokens,
    }
    if usage.cache_read_tokens:
        body["cachedInputTokens"] = usage.cache_read_tokens
    if reasoning := usage.details.get("reasoning_tokens"):
        body["reasoningTokens"] = reasoning
    return body


def returned(step: Step) -> dict[str, ToolReturnPart]:
    """What came back from the tools, by call id."""
    return {part.tool_call_id: part for part in step.returned.parts if isinstance(part, ToolReturnPart)}


def calls_of(step: Step, run_id: str) -> list[Body]:
    """The tool calls of a step."""
    return [
        {"type": "tool-call", "runId": run_id, "from": "AGENT", "payload": _call(call)}
        for call in step.response.tool_calls
    ]


def results_of(step: Step, run_id: str) -> list[Body]:
    """The results of a step's tool calls."""
    results = returned(step)
    return [
        {"type": "tool-result", "runId": run_id, "from": "AGENT", "payload": _result(call, results[call.tool_call_id])}
        for call in step.response.tool_calls
        if call.tool_call_id in results
    ]


def message_parts(step: Step, model_id: str, *, first: bool) -> Iterator[Part]:
    """The step as parts of a kept message; every step but the first says where it starts."""
    at = step.response.timestamp
    if not first:
        yield {"type": "step-start", "createdAt": milliseconds(at), "model": model_id}
    results = returned(step)
    for part in step.response.parts:
        if isinstance(part, TextPart) and part.content:
            yield text_part(part.content, at)
        elif isinstance(part, ThinkingPart) and part.content:
            yield {"type": "reasoning", "reasoning": part.content, "createdAt": milliseconds(at)}
    for call in step.response.tool_calls:
        invocation: Body = {"state": "call", **_call(call)}
        if call.tool_call_id in results:
            invocation |= {"state": "result", "result": json_ready(results[call.tool_call_id].content)}
        yield {"type": "tool-invocation", "toolInvocation": invocation, "createdAt": milliseconds(at)}


def plain_messages(step: Step) -> Iterator[Body]:
    """The step as plain messages: the assistant's, then that of its tools."""
    results = returned(step)
    content = [{"type": "text", "text": text_of(step)}] if text_of(step) else []
    content += [_plain_call(call) for call in step.response.tool_calls]
    yield {"role": "assistant", "content": content}
    if results:
        yield {"role": "tool", "content": [_plain_result(part) for part in results.values()]}


def step_record(step: Step, run_id: str, response: Body, *, first: bool) -> Body:
    """The step as the answer lists it; `response` is what the conversation looked like after it."""
    thoughts = [part.content for part in step.response.parts if isinstance(part, ThinkingPart) and part.content]
    content = [part for message in plain_messages(step) for part in message["content"]]
    return {
        "stepType": "initial" if first else "tool-result",
        "text": text_of(step),
        "reasoning": [{"type": "reasoning", "text": thought} for thought in thoughts],
        "reasoningText": "".join(thoughts),
        "content": content,
        "toolCalls": calls_of(step, run_id),
        "toolResults": results_of(step, run_id),
        "files": [],
        "sources": [],
        "finishReason": finish_reason(step.response),
        "usage": usage_body(step.response.usage),
        "warnings": [],
        "request": {},
        "response": response,
    }


def response_facts(step: Step, target: Target) -> Body:
    """Which model answered, and when."""
    name = step.response.model_name or target.name
    return {
        "id": step.response.provider_response_id or "",
        "timestamp": iso(step.response.timestamp),
        "modelId": name,
        "modelMetadata": {"modelId": name, "modelVersion": None, "modelProvider": target.provider},
    }


def json_ready(value: Any) -> Any:
    """A tool's result as JSON can hold it."""
    return json.loads(json.dumps(value, ensure_ascii=False, default=str).replace("\\u0000", ""))


def total(steps: Sequence[Step]) -> RequestUsage:
    """The usage of all steps together."""
    usage = RequestUsage()
    for step in steps:
        usage += step.response.usage
    return usage


def _call(call: ToolCallPart) -> Body:
    return {"toolCallId": call.tool_call_id, "toolName": call.tool_name, "args": json_ready(call.args_as_dict())}


def _result(call: ToolCallPart, part: ToolReturnPart) -> Body:
    body = {**_call(call), "result": json_ready(part.content)}
    return body if part.outcome == "success" else {**body, "isError": True}


def _plain_call(call: ToolCallPart) -> Body:
    written = _call(call)
    return {
        "type": "tool-call",
        "toolCallId": written["toolCallId"],
        "toolName": written["toolName"],
        "input": written["args"],
    }


def _plain_result(part: ToolReturnPart) -> Body:
    output = {"type": "json", "value": json_ready(part.content)}
    return {"type": "tool-result", "toolCallId": part.tool_call_id, "toolName": part.tool_name, "output": output}
