"""Waiting for an event: heard, asked for, or not in time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

import pytest

from events import waiting
from events.audience import Audience
from events.hub import hub
from events.publishing import publish
from events.types import Event
from events.waiting import wait_for
from ground.bridge import in_django, on_background
from tests.cast import Cast
from tests.events.happenings import run_event
from tests.limits.conftest import eventually, own_valkey
from tests.limits.servers import OwnValkey

__all__ = ["own_valkey"]


class Poll:
    """A question that is counted; `answer` may be changed."""

    def __init__(self, answer: bool = False) -> None:
        self.answer = answer
        self.asked = 0
        self.was_asked = asyncio.Event()

    async def __call__(self) -> bool:
        self.asked += 1
        self.was_asked.set()
        return self.answer


def of(key: str) -> Callable[[Event], bool]:
    return lambda event: event["key"] == key


def begun(tenant_id: UUID, key: str, poll: Callable[[], Awaitable[bool]], seconds: float = 5) -> "asyncio.Task[bool]":
    return asyncio.create_task(wait_for(tenant_id, of(key), seconds, poll))


async def until(fact: Callable[[], bool]) -> None:
    """Look again until it holds."""
    await asyncio.to_thread(eventually, fact)


async def test_an_event_ends_it(cast: Cast) -> None:
    key, poll = str(uuid4()), Poll()
    waits = begun(cast.tenant.id, key, poll)
    await poll.was_asked.wait()

    began = time.monotonic()
    await in_django(publish, run_event(key=str(uuid4())), Audience(cast.tenant.id))
    await in_django(publish, run_event(key=key), Audience(cast.tenant.id))

    assert await waits is True
    assert time.monotonic() - began < 0.5
    assert poll.asked == 1


async def test_what_has_happened_already_ends_it_at_once(cast: Cast) -> None:
    began = time.monotonic()

    assert await wait_for(cast.tenant.id, of("x"), 5, Poll(True)) is True

    assert time.monotonic() - began < 0.5


async def test_it_ends_when_the_time_is_over(cast: Cast) -> None:
    began, poll = time.monotonic(), Poll()

    assert await wait_for(cast.tenant.id, of("x"), 0.3, poll) is False

    assert 0.3 <= time.monotonic() - began < 0.8
    assert poll.asked == 2


async def test_an_event_of_another_tenant_does_not_end_it(cast: Cast) -> None:
    key, poll = str(uuid4()), Poll()
    waits = begun(cast.tenant.id, key, poll, 0.5)
    await poll.was_asked.wait()

    await in_django(publish, run_event(key=key), Audience(cast.other_tenant.id))

    assert await waits is False


async def test_it_asks_again_while_it_hears(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "HEARING_SECONDS", 0.2)
    poll = Poll()
    waits = begun(cast.tenant.id, "x", poll)
    await until(lambda: poll.asked == 3)

    poll.answer = True

    assert await waits is True
    assert hub().is_up


async def test_five_hundred_at_once_cost_a_question_each(cast: Cast) -> None:
    polls = [Poll() for _ in range(500)]
    keys = [str(uuid4()) for _ in polls]
    all_wait = [begun(cast.tenant.id, key, poll, 10) for key, poll in zip(keys, polls, strict=True)]
    await until(lambda: all(poll.asked for poll in polls))

    began = time.monotonic()
    for key in keys:
        await in_django(publish, run_event(key=key), Audience(cast.tenant.id))

    assert await asyncio.gather(*all_wait) == [True] * 500
    assert time.monotonic() - began < 3
    assert [poll.asked for poll in polls] == [1] * 500


async def test_it_works_on_the_background_loop(cast: Cast) -> None:
    key, poll = str(uuid4()), Poll()
    waits = on_background(wait_for(cast.tenant.id, of(key), 5, poll))
    await until(lambda: poll.asked > 0)
    await in_django(publish, run_event(key=key), Audience(cast.tenant.id))

    assert await asyncio.wrap_future(waits) is True


async def test_it_asks_every_second_while_valkey_is_away_and_at_once_when_it_is_back(
    cast: Cast, own_valkey: OwnValkey
) -> None:
    poll = Poll()
    waits = begun(cast.tenant.id, "x", poll, 10)
    await until(lambda: hub().is_up and poll.asked > 0)
    own_valkey.kill()
    await until(lambda: not hub().is_up)
    began, asked = time.monotonic(), poll.asked

    await until(lambda: poll.asked >= asked + 3)
    assert 1.5 < time.monotonic() - began < 3.5
    poll.answer = True
    await in_django(own_valkey.start)

    assert await waits is True
