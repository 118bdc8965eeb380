"""Talking to an agent: prepared in a thread, answered on the background loop, kept at the end."""

import asyncio
from typing import Any

from django.conf import settings

from agents import loop
from agents.actions import callable_agent
from agents.exchange import Exchange, Wishes, prepare
from agents.reply import answer_turn, reply
from api.replies import Pending
from conversations.actions import save_turn
from ground.bridge import in_django, on_background
from ground.errors import TimedOut
from identity.principal import Principal
from inference.tracing import TraceIds, trace_ids


def begin(principal: Principal, agent_id: str, wishes: Wishes) -> Pending:
    """Start a turn. Cancelling it stops the model; what the caller said stays in the thread."""
    agent = callable_agent(principal, agent_id)
    return Pending(on_background(_answered(prepare(principal, agent, wishes))))


async def _answered(exchange: Exchange) -> dict[str, Any]:
    ids = trace_ids()
    try:
        async with asyncio.timeout(settings.LIMIT_CALL_SECONDS):
            steps = await loop.run(exchange.task, ids.trace_id)
    except TimeoutError:
        raise _stopped(exchange, ids) from None
    answer = answer_turn(exchange, steps, ids)
    if exchange.thread is not None and exchange.keeps:
        await in_django(save_turn, exchange.thread, [answer])
    return reply(exchange, steps, answer, ids)


def _stopped(exchange: Exchange, ids: TraceIds) -> TimedOut:
    sentence = (
        f"Agent {exchange.agent_id} did not answer within {settings.LIMIT_CALL_SECONDS:g} seconds and was stopped"
    )
    if exchange.thread is not None and exchange.keeps:
        sentence += f"; your message is kept in thread {exchange.thread.thread_id}"
    return TimedOut(sentence + "; try again, or ask for less.", trace_id=ids.trace_id)
