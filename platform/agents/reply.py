"""The whole answer of a turn."""

from collections.abc import Sequence
from typing import Any

from agents.exchange import Exchange
from agents.loop import Step
from agents.steps import (
    calls_of,
    finish_reason,
    message_parts,
    plain_messages,
    response_facts,
    results_of,
    step_record,
    text_of,
    total,
    usage_body,
)
from conversations.actions import Turn
from conversations.format2 import content_of, shown, ui_message
from inference.prices import cost_of
from inference.tracing import TraceIds

Body = dict[str, Any]


def answer_turn(exchange: Exchange, steps: Sequence[Step], ids: TraceIds) -> Turn:
    """The steps as one message of the assistant."""
    target = exchange.task.target
    parts = [
        part for index, step in enumerate(steps) for part in message_parts(step, target.model_id, first=index == 0)
    ]
    metadata = {"modelId": target.name, "provider": target.provider, "traceId": ids.trace_id}
    return Turn("assistant", content_of(parts, metadata))


def reply(exchange: Exchange, steps: Sequence[Step], answer: Turn, ids: TraceIds) -> Body:
    """What generate answers."""
    usage, last = total(steps), steps[-1]
    cost = cost_of(exchange.task.target, usage)
    tokens = {**usage_body(usage), "raw": usage_body(last.response.usage)}
    said = [shown(turn, *exchange.place) for turn in exchange.said]
    answered = shown(answer, *exchange.place)
    records = _records(exchange, steps, answered)
    return {
        "text": text_of(last),
        "finishReason": finish_reason(last.response),
        "usage": tokens,
        "totalUsage": tokens,
        "cost": None if cost is None else float(cost),
        "steps": records,
        "toolCalls": [call for step in steps for call in calls_of(step, exchange.run_id)],
        "toolResults": [result for step in steps for result in results_of(step, exchange.run_id)],
        "reasoning": records[-1]["reasoning"],
        "files": [],
        "sources": [],
        "warnings": exchange.warnings,
        "request": {},
        "response": records[-1]["response"],
        "messages": [*said, answered],
        "rememberedMessages": [shown(message, *exchange.place) for message in exchange.remembered],
        "usedFallbackValue": False,
        "threadId": exchange.place[0],
        "resourceId": exchange.place[1],
        "runId": exchange.run_id,
        "traceId": ids.trace_id,
        "spanId": ids.span_id,
    }


def _records(exchange: Exchange, steps: Sequence[Step], answered: Body) -> list[Body]:
    records: list[Body] = []
    so_far: list[Body] = []
    for index, step in enumerate(steps):
        so_far = [*so_far, *plain_messages(step)]
        response = {**response_facts(step, exchange.task.target), "messages": so_far}
        records.append(step_record(step, exchange.run_id, response, first=index == 0))
    # Once, with the last step: the message holds all of them.
    records[-1]["response"] |= {"dbMessages": [answered], "uiMessages": [ui_message(answered)]}
    return records
