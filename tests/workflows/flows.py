"""The workflows of these tests, written in Python."""

import sys
import time
from typing import Any
from uuid import uuid4

from pydantic import BaseModel

from ground import valkey
from workflows.builder import agent, tool, workflow
from workflows.context import StepContext, StepFailed
from workflows.functions import step
from workflows.models import Workflow


class Number(BaseModel):
    """A number."""

    n: int


class Yes(BaseModel):
    """An answer."""

    ok: bool


@step
def add(data: Number) -> Number:
    """Add one."""
    return Number(n=data.n + 1)


@step
def double(data: Number) -> Number:
    """Twice as much."""
    return Number(n=data.n * 2)


@step(resume=Yes)
def approve(data: Number, context: StepContext) -> dict[str, Any]:
    """Wait for a person."""
    if context.resume_data is None:
        context.suspend({"reason": "need approval"}, label="approval")
    return {"n": data.n, "ok": context.resume_data["ok"]}


@step
def ask(data: Number, context: StepContext) -> dict[str, Any]:
    """Wait for another person."""
    if context.resume_data is None:
        context.suspend({"who": "ask"})
    return {"asked": context.resume_data}


@step
def each(data: int, context: StepContext) -> int:
    """Ten times as much; twos wait."""
    if data == 2 and context.resume_data is None:
        context.suspend({"item": data})
    return data * 10


@step
def boom(data: Any) -> Any:
    """Fail, and say nothing of it."""
    raise ValueError("password=hunter2")


@step
def refuse(data: Any) -> Any:
    """Fail with a sentence."""
    raise StepFailed("There is nothing to do.")


@step(retries=2)
def third_time(data: Number, context: StepContext) -> dict[str, int]:
    """Succeed at the third attempt."""
    if context.retry_count < 2:
        raise StepFailed("Not yet.")
    return {"retryCount": context.retry_count}


@step
def bailer(data: Any, context: StepContext) -> Any:
    """End early."""
    context.bail({"early": True})


@step
def count(data: Number, context: StepContext) -> Number:
    """Keep how often in the state."""
    context.set_state(count=context.state.get("count", 0) + 1)
    return Number(n=data.n + 1)


@step(slow=True)
def slowly(data: Any) -> Any:
    """Take half a second."""
    time.sleep(0.5)
    return data


@step(slow=True)
def very_slowly(data: Any, context: StepContext) -> Any:
    """Take ten seconds, unless the run is stopped."""
    context.stopped.wait(10)
    return data


@step
async def later(data: Any) -> Any:
    """Answer what came, without a thread."""
    return data


@step
def echo(data: Any) -> Any:
    """Answer what came."""
    return data


workflow("t-ok", input=Number, output=Number, name="OK", description="adds, then doubles").then(add).then(double)
workflow("t-suspend", input=Number).then(add).then(approve)
workflow("t-parallel", input=Number).parallel([add, double])
workflow("t-parallel-waits", input=Number).parallel([approve, ask, add])
workflow("t-branch", input=Number).branch(
    [(lambda data: data["n"] > 10, add), (lambda data: data["n"] % 2 == 0, double)]
).then(echo)
workflow("t-each", input=list[int]).foreach(each, concurrency=2)
workflow("t-while", input=Number).do_while(add, lambda data: data["n"] < 5)
workflow("t-until", input=Number).do_until(double, {
    "op": "gte", "left": {"path": "input.n"}, "right": {"literal": 8},
})  # fmt: skip
workflow("t-map", input=Number).map({"n": "input.n", "twice": "[input.n, init.n]"}).then(echo)
workflow("t-map-python", input=Number).map(lambda data: [data["n"]] * 2)
workflow("t-sleep", input=Number).then(add).sleep(0.3).then(double)
workflow("t-sleep-until", input=Number).sleep_until("'2020-01-01T00:00:00Z'").then(double)
workflow("t-boom", input=Number).then(add).then(boom)
workflow("t-refuse").then(refuse)
workflow("t-parallel-fails", input=Number).parallel([add, refuse])
workflow("t-retry", input=Number).then(third_time)
workflow("t-bail").then(bailer).then(boom)
workflow("t-state", input=Number).then(count).then(count, id="count2")
inner = workflow("t-inner", input=Number).then(add).then(approve)
workflow("t-nested", input=Number).then(double).then(inner, id="inner").then(echo)
workflow("t-slow").then(slowly).then(echo)
workflow("t-async").then(later).then(echo)
workflow("t-timeout").then(slowly, timeout=0.1)
workflow("t-sleep-long", input=Number).sleep(3600).then(double)
workflow("t-parallel-slow").parallel([slowly, slowly.named("slowly2"), slowly.named("slowly3")])
workflow("t-each-slow").foreach(slowly, concurrency=2)
workflow("t-very-slow").then(very_slowly)
workflow("t-retry-later", input=Number).then(third_time, retry_delay=0.2)
workflow("t-slow-and-approval", input=Number).parallel([very_slowly, approve])
workflow("t-tool-and-agent").then(tool("calculator")).map({"prompt": "'Hello, when are invoices due?'"}).then(
    agent("helper")
)


@step(pure=True)
def pure_echo(data: Any) -> Any:
    """Answer what came, without effects."""
    return data


@step
def large(data: Any) -> str:
    """Much."""
    return "x" * 2000


@step
def nul(data: Any) -> str:
    """A character that cannot be kept."""
    return "\x00"


@step
def not_json(data: Any) -> Any:
    """No value of JSON."""
    return object()


@step
def huge_int(data: Any) -> Any:
    """More than 64 bits."""
    return 1 << 80


@step
def large_enough(data: Number) -> Number:
    """Four more."""
    return Number(n=data.n + 4)


workflow("big-reply").then(large)
(
    workflow("t-all", input=Number)
    .then(add)
    .parallel([double, echo])
    .map({"n": "double.n || input.double.n"})
    .branch([
        ({"op": "gt", "left": {"path": "input.n"}, "right": {"literal": 10}}, count),
        ({"op": "lte", "left": {"path": "input.n"}, "right": {"literal": 10}}, third_time),
    ])
    .sleep(0)
    .map("[init, init, init]")
    .foreach(pure_echo, concurrency=2)
    .map("init")
    .do_until(large_enough, {"op": "gte", "left": {"path": "input.n"}, "right": {"literal": 8}})
    .then(approve)
)  # fmt: skip


@step(slow=True)
def count_slowly(data: Any, context: StepContext) -> dict[str, str]:
    """Count that it was carried out, and take six seconds."""
    key = f"test:count:{context.idempotency_key}"
    valkey.client().incr(key)
    context.stopped.wait(6)
    return {"key": key}


workflow("t-counting").then(count_slowly)
workflow("t-slow-twice").then(slowly).then(slowly.named("slowly2"))


@step
def told(data: Any, context: StepContext) -> Any:
    """Say what the caller told; ask once."""
    if data == "ask" and context.resume_data is None:
        context.suspend()
    return dict(context.request_context)


workflow("t-told").then(told)


@step
def exits(data: Any) -> Any:
    """End the process, if it were to go by this step."""
    sys.exit(3)


@step
def mutate(data: Any) -> int:
    """Change what it got."""
    data["gone"] = data.pop("n")
    return 1


@step
def state_nul(data: Any, context: StepContext) -> None:
    """Keep what cannot be kept."""
    context.set_state(x="\x00")


@step
def state_object(data: Any, context: StepContext) -> None:
    """Keep what cannot be kept."""
    context.set_state(x=object())


@step
def suspend_object(data: Any, context: StepContext) -> None:
    """Wait with what cannot be kept."""
    context.suspend(object())


@step
def bail_nul(data: Any, context: StepContext) -> None:
    """End with what cannot be kept."""
    context.bail("\x00")


@step
def deep(data: Any) -> Any:
    """Three hundred arrays in each other."""
    for _ in range(300):
        data = [data]
    return data


@step(transactional=True)
def writes_and_waits(data: str, context: StepContext) -> None:
    """Make a row, and wait once."""
    Workflow.objects.create(tenant_id=data, slug=f"written-{uuid4().hex}", name="Written", enabled=False)
    if context.resume_data is None:
        context.suspend()


workflow("t-exits").then(exits)
workflow("t-exits-slowly").then(slowly).then(exits)
workflow("t-exits-parallel").parallel([exits, slowly])
short = workflow("short").sleep(0.2).then(echo)
workflow("t-sleep-beside").parallel([short, slowly])
workflow("t-mutates").then(echo).parallel([mutate, echo.named("echo2")])
ghost = workflow("t-ghost-inner").parallel([ask, bailer])
workflow("t-ghost", input=Number).then(ghost, id="inner").map("init").then(approve)
workflow("t-map-raises").map(lambda data: data["n"])
workflow("t-branch-raises").branch([(lambda data: data["n"] > 1, echo)])
workflow("t-state-nul").then(state_nul)
workflow("t-state-object").then(state_object)
workflow("t-suspend-object").then(suspend_object)
workflow("t-bail-nul").then(bail_nul)
workflow("t-deep").then(deep)
workflow("t-writes-and-waits").then(writes_and_waits)
