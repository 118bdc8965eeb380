"""Turns that their caller gives up."""

import concurrent.futures
import time
from collections.abc import Callable

import pytest

from agents.models import Agent
from api.calls import Call
from api.dispatch import send
from api.replies import Pending
from conversations.models import Message
from tests.cast import Cast
from tests.models_server import ModelsServer


def _begin(cast: Cast, model: str) -> Pending:
    body = {"messages": "hi", "model": f"openai/{model}", "threadId": "t"}
    answer = send(cast.ben.principal, Call("agent-generate", "POST", path={"agent_id": "helper"}, body=body))
    assert isinstance(answer, Pending)
    return answer


def _soon(true: Callable[[], bool]) -> bool:
    until = time.monotonic() + 3
    while not true() and time.monotonic() < until:
        time.sleep(0.02)
    return true()


def test_cancelling_stops_the_model_and_keeps_what_was_said(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    pending = _begin(cast, "silent")
    assert models.working.wait(3)

    pending.future.cancel()

    assert models.abandoned.wait(3)
    with pytest.raises(concurrent.futures.CancelledError):
        pending.future.result(3)
    assert [message.role for message in Message.objects.filter(thread__tenant=cast.tenant)] == ["user"]


def test_many_turns_wait_at_once_without_a_thread_each(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    turns = [_begin(cast, "silent") for _ in range(30)]
    assert _soon(lambda: len(models.asked) == 30)

    assert _begin(cast, "echo").future.result(5).body["text"] == "Echo: hi"

    for turn in turns:
        turn.future.cancel()
    assert _soon(lambda: all(turn.future.done() for turn in turns))


def test_turns_of_many_models_share_the_one_loop(cast: Cast, helper: Agent, models: ModelsServer) -> None:
    answers = [_begin(cast, f"echo-{number}") for number in range(40)]

    assert {answer.future.result(20).body["text"] for answer in answers} == {"Echo: hi"}
