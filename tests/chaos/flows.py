"""The workflow of the chaos runs: every kind of step, an effect in most of them, and what has to come of it."""

import random
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from tests.chaos import effects
from workflows.builder import workflow
from workflows.context import StepContext, StepFailed
from workflows.functions import step

ITEMS = 5
EFFECTS = 6 + 2 * ITEMS  # of a run


class Order(BaseModel):
    """What a run is about."""

    n: int
    pause: int  # milliseconds


class Approval(BaseModel):
    """What it is resumed with."""

    by: int


def _linger(context: StepContext) -> None:
    """Take a while between the effect and the end of the step, so that death comes in between."""
    context.stopped.wait(random.uniform(0.005, 0.04))


@step(id="chaos-reserve", transactional=True)
def reserve(data: Order, context: StepContext) -> dict[str, int]:
    """An effect in the step's own transaction."""
    effects.once(context)
    _linger(context)
    return {"n": data.n, "sum": data.n + 1}


@step(id="chaos-notify")
def notify(data: dict[str, int], context: StepContext) -> dict[str, int]:
    """An effect outside, by its key."""
    effects.keyed(context)
    _linger(context)
    return {**data, "sum": data["sum"] * 2}


@step(id="chaos-approve", resume=Approval)
def approve(data: dict[str, int], context: StepContext) -> dict[str, int]:
    """Wait for a person."""
    if context.resume_data is None:
        context.suspend({"sum": data["sum"]})
    return {**data, "sum": data["sum"] + context.resume_data["by"]}


@step(id="chaos-send")
def send(data: dict[str, int], context: StepContext) -> dict[str, int]:
    """An effect outside for each item."""
    effects.keyed(context)
    _linger(context)
    return data


@step(id="chaos-book", transactional=True)
def book(data: dict[str, int], context: StepContext) -> int:
    """An effect inside for each item."""
    effects.once(context)
    _linger(context)
    return data["n"] * 10 + data["item"]


@step(id="chaos-even", transactional=True)
def even(data: list[int], context: StepContext) -> int:
    """One arm."""
    effects.once(context)
    return sum(data)


@step(id="chaos-odd", transactional=True)
def odd(data: list[int], context: StepContext) -> int:
    """The other arm."""
    effects.once(context)
    return -sum(data)


@step(id="chaos-settle", transactional=True, retries=2, retry_delay=0.1)
def settle(data: dict[str, int], context: StepContext) -> int:
    """Fail at first, after the effect, which must then not be there."""
    effects.once(context)
    _linger(context)
    if context.retry_count < 1:
        raise StepFailed("Not yet.")
    return sum(data.values())


@step(id="chaos-left", transactional=True)
def left(data: int, context: StepContext) -> int:
    """Beside the other one."""
    effects.once(context)
    _linger(context)
    return data + 1


@step(id="chaos-right")
def right(data: int, context: StepContext) -> int:
    """Beside the other one."""
    effects.keyed(context)
    _linger(context)
    return data + 2


@step(id="chaos-total")
def total(data: dict[str, int], context: StepContext) -> dict[str, int]:
    """What the run comes to, from steps long past."""
    approved = context.get_step_result("chaos-approve")
    return {"n": context.init_data["n"], "total": approved["sum"] + sum(data.values())}


def _items(data: dict[str, int]) -> list[dict[str, int]]:
    return [{"n": data["n"], "item": item} for item in range(ITEMS)]


item = workflow("chaos-item").then(send).then(book)
(
    workflow("chaos", input=Order, retries=0)
    .then(reserve)
    .then(notify)
    .then(approve)
    .sleep("init.pause")
    .map(_items)
    .foreach(item, concurrency=3)
    .branch([(lambda data: sum(data) % 2 == 0, even), (lambda data: sum(data) % 2 == 1, odd)])
    .then(settle)
    .parallel([left, right])
    .then(total)
)


@dataclass(frozen=True)
class Expected:
    """What a finished run must have left behind."""

    result: dict[str, int]
    once: frozenset[str]
    keyed: frozenset[str]
    steps: int


def given(n: int) -> dict[str, Any]:
    """The input of the n-th run."""
    return {"n": n, "pause": 200 + n * 37 % 800}


def approval(n: int) -> dict[str, int]:
    """What it is resumed with."""
    return {"by": n * 3}


def expected(n: int) -> Expected:
    """Written down apart from the steps."""
    booked = sum(n * 10 + number for number in range(ITEMS))
    arm, settled = ("chaos-even", booked) if booked % 2 == 0 else ("chaos-odd", -booked)
    approved = (n + 1) * 2 + n * 3
    items = [f"chaos-item[{number}]" for number in range(ITEMS)]
    once = {"chaos-reserve", arm, "chaos-settle", "chaos-left", *(f"{place}.chaos-book" for place in items)}
    outside = {"chaos-notify", "chaos-right", *(f"{place}.chaos-send" for place in items)}
    # Besides those with an effect: approve, sleep, map, foreach and its items, branch, total.
    walked = 6 + ITEMS
    return Expected(
        {"n": n, "total": approved + 2 * settled + 3}, frozenset(once), frozenset(outside),
        len(once) + len(outside) + walked,
    )  # fmt: skip
