"""Carries out one step: a function, an agent or a tool; whatever comes of it is an outcome, never an exception."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from agents import generate
from agents.input_messages import read_messages
from ground.bridge import in_django
from ground.errors import PlatformError
from identity.principal import Principal
from toolbox.inner import run_inside
from workflows.context import Bailed, StepContext, StepFailed, Suspended
from workflows.functions import StepFunction, function
from workflows.graph import AGENT, FUNCTION, StepNode
from workflows.values import copied, kept

logger = logging.getLogger(__name__)

LABEL_CHARACTERS = 200
EXITS = (SystemExit, KeyboardInterrupt)  # a step may end itself, never the process


@dataclass(frozen=True, slots=True)
class Succeeded:
    """With this output."""

    output: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """With this error; `final`: trying again would not help."""

    error: dict[str, Any]
    final: bool = False


Outcome = Succeeded | Failed | Suspended | Bailed


def runs_here(node: StepNode) -> StepFunction | None:
    """The function, when a step is a plain one without a timeout: it may run in the thread that advances the run."""
    found = function(node.ref) if node.kind == FUNCTION else None
    if found is None or found.is_async or (node.timeout or found.timeout) is not None:
        return None
    return found


def call_here(found: StepFunction, given: Any, context: StepContext) -> Outcome:
    """Carry out a plain function."""
    try:
        value = _valid(found.input, given)
        answer = found.timed(value, context) if found.takes_context else found.timed(value)
        return Succeeded(_json(found.output, answer))
    except (Exception, *EXITS) as raised:
        return _outcome(raised, context)


async def call(node: StepNode, given: Any, context: StepContext) -> Outcome:
    """Carry out any step, on the background loop; stopped at its timeout."""
    found = function(node.ref) if node.kind == FUNCTION else None
    timeout = node.timeout or (found.timeout if found else None)
    try:
        async with asyncio.timeout(timeout):
            return Succeeded(await _answer(node, found, given, context))
    except TimeoutError as raised:
        if timeout is None:
            return _outcome(raised, context)
        sentence = f"Step {node.id} did not end within {timeout:g} seconds and was stopped."
        return Failed({"message": sentence, "name": "TimedOut"})
    except asyncio.CancelledError as raised:
        if (task := asyncio.current_task()) is None or task.cancelling():
            raise
        return _outcome(raised, context)  # the step said so itself; nobody stopped it
    except (Exception, *EXITS) as raised:
        return _outcome(raised, context)


async def _answer(node: StepNode, found: StepFunction | None, given: Any, context: StepContext) -> Any:
    if node.kind == AGENT:
        return await _say(context.principal, node.ref, given)
    if node.kind != FUNCTION:
        return _json(
            _ANY,
            await run_inside(
                context.principal, node.ref, given, run_id=context.run_id, idempotency_key=context.idempotency_key
            ),
        )
    if found is None:
        raise StepFailed(f"The function {node.ref} does not exist any more.")
    value = _valid(found.input, given)
    arguments = (value, context) if found.takes_context else (value,)
    if found.is_async:
        return _json(found.output, await found.call(*arguments))
    return _json(found.output, await in_django(found.timed, *arguments))


async def _say(principal: Principal, agent_id: str, given: Any) -> dict[str, Any]:
    prompt = given.get("prompt") if isinstance(given, dict) else given
    if not isinstance(prompt, str) or not prompt.strip():
        raise StepFailed(f"Agent {agent_id} needs a text, or an object with a text named prompt.")
    wishes = {"messages": read_messages(prompt)}
    pending = await in_django(generate.begin, principal, agent_id, wishes)
    reply = await asyncio.wrap_future(pending.future)
    return {"text": kept(reply["text"], "The answer")}


_ANY: "TypeAdapter[Any]" = TypeAdapter(Any)


def _valid(adapter: "TypeAdapter[Any]", given: Any) -> Any:
    try:
        return adapter.validate_python(copied(given))
    except ValidationError as failure:
        raise StepFailed(f"The input does not fit: {faults_of(failure)}") from None


def faults_of(failure: ValidationError) -> str:
    """What a value breaks, place by place, without the value."""
    found = [
        f"{'.'.join(map(str, fault['loc'])) or 'it'}: {fault['msg']}" for fault in failure.errors(include_url=False)
    ]
    return "; ".join(found[:10]) + "."


def _json(adapter: "TypeAdapter[Any]", answer: Any) -> Any:
    """The answer as JSON holds it: what a later step gets is the same whether the run was interrupted or not."""
    try:
        value = adapter.dump_python(adapter.validate_python(answer), mode="json")
    except ValidationError as failure:
        raise StepFailed(f"The output does not fit: {faults_of(failure)}") from None
    except (TypeError, ValueError, RecursionError):
        raise StepFailed("The output is nothing that JSON can hold.") from None
    return kept(value, "The output")


def _outcome(raised: BaseException, context: StepContext) -> Outcome:
    match raised:
        case Suspended() | Bailed():
            return _kept(raised, context)
        case StepFailed():
            return Failed({"message": raised.sentence, "name": "StepFailed"})
        case PlatformError():
            return Failed({"message": raised.sentence, "name": type(raised).__name__}, final=400 <= raised.status < 500)
    # The text of an exception may hold anything; the log keeps it under the path.
    logger.error("Step %s of run %s failed", context.path, context.run_id, exc_info=raised)
    asked = raised.__cause__  # in a thread of the bridge it stands behind another
    name = type(asked if isinstance(asked, EXITS) else raised).__name__
    return Failed(
        {"message": f"Step {context.step_id} failed with {name}; the server's log has the details.", "name": name}
    )


def _kept(raised: Suspended | Bailed, context: StepContext) -> Outcome:
    try:
        if isinstance(raised, Bailed):
            return Bailed(_json(_ANY, raised.result))
        return Suspended(_json(_ANY, raised.payload), str(raised.label)[:LABEL_CHARACTERS] if raised.label else None)
    except StepFailed as failure:
        return _outcome(failure, context)
