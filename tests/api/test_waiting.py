"""Views that answer later: nothing is held while they wait, and nothing stays when nobody waits any more."""

import asyncio
import threading
from concurrent.futures import Future
from typing import Any

import pytest
from django.http import HttpRequest
from rest_framework.response import Response

from api.replies import Pending, Reply
from api.waiting import WaitingResponse, waiting
from ground.errors import Unavailable

PATIENCE = 10.0  # seconds


class Work:
    """What a view began; tells what became of it."""

    def __init__(self) -> None:
        self.future: Future[Any] = Future()
        self.begun, self.may_return, self.released = threading.Event(), threading.Event(), threading.Event()

    def view(self, request: HttpRequest) -> Response:
        """Begin, and answer at once that there is something to wait for."""
        self.begun.set()
        assert self.may_return.wait(PATIENCE)
        return WaitingResponse(Pending(self.future), self.settle, self.released.set)

    def settle(self, reply: Reply | None, failure: Exception | None) -> Response:
        """The outcome as a response."""
        return Response([reply.body if reply else None, failure])


@pytest.fixture
def work() -> Work:
    """Work that has not begun."""
    return Work()


async def begin(work: Work) -> "asyncio.Task[Any]":
    call = asyncio.ensure_future(waiting(work.view)(HttpRequest()))
    assert await asyncio.to_thread(work.begun.wait, PATIENCE)
    return call


async def test_the_outcome_becomes_the_answer(work: Work) -> None:
    call = await begin(work)
    work.may_return.set()
    work.future.set_result(Reply("done"))

    assert (await call).data == ["done", None]
    assert not work.released.is_set()


async def test_a_failure_becomes_the_answer(work: Work) -> None:
    failure = Unavailable()
    call = await begin(work)
    work.may_return.set()
    work.future.set_exception(failure)

    assert (await call).data == [None, failure]


async def test_work_that_was_stopped_elsewhere_is_said_to_be_unavailable(work: Work) -> None:
    call = await begin(work)
    work.may_return.set()
    work.future.cancel()

    [body, failure] = (await call).data
    assert body is None
    assert failure.body() == {"error": "The work was stopped before it ended; try again."}


@pytest.mark.parametrize("early", [True, False])
async def test_a_client_that_goes_away_stops_the_work_and_gives_its_place_back(work: Work, early: bool) -> None:
    call = await begin(work)
    if not early:
        work.may_return.set()
        await asyncio.sleep(0.05)  # until the view has returned; nothing else tells

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    work.may_return.set()

    assert await asyncio.to_thread(work.released.wait, PATIENCE)
    assert work.future.cancelled()
