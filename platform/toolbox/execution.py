"""Running a tool: who may, with what input, where, and what comes back."""

import asyncio
import json
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from pydantic import ValidationError

from ground.bridge import in_django, on_background
from ground.errors import Conflict, InvalidInput, PlatformError
from identity.principal import Principal
from inference.tracing import trace_ids
from toolbox import child, frames, inline, running
from toolbox.context import ToolContext, context_of
from toolbox.declaring import Declared
from toolbox.failures import Refused, failed, readable, too_busy, too_slow
from toolbox.processes import Busy, TooSlow, pool
from toolbox.registry import declared
from toolbox.rows import find_tool


@dataclass(frozen=True, slots=True)
class Work:
    """A call that was let in and whose input is right; nothing in it is bound to a database or a loop."""

    tool: Declared
    data: bytes
    context: ToolContext

    @property
    def seconds(self) -> float:
        """The time that it has."""
        return self.context.seconds


async def run_tool(principal: Principal, tool_id: str, data: Any, **call: Any) -> Any:
    """What the tool returns, as JSON values; for any event loop. The same words and errors as `start`.

    Cancelling it kills the process that the tool runs in.
    """
    work = await in_django(lambda: prepare(principal, tool_id, data, **call))
    return await asyncio.wrap_future(on_background(_done(work)))


def start(principal: Principal, tool_id: str, data: Any, **call: Any) -> "Future[Any]":
    """Begin a tool from a thread of Django's; cancelling the future kills the process that it runs in.

    Raises NotFound, InvalidInput and Conflict at once; the future raises UpstreamFailed or TimedOut, each one sentence
    with a trace id.
    """
    return on_background(_done(prepare(principal, tool_id, data, **call)))


def prepare(
    principal: Principal,
    tool_id: str,
    data: Any,
    *,
    run_id: str | None = None,
    idempotency_key: str | None = None,
    request_context: dict[str, Any] | None = None,
    seconds: float | None = None,
    approved: bool = False,
) -> Work:
    """Let the call in, or say why not. `seconds` shortens the tool's own time; `approved`: a person has agreed."""
    found = declared()[find_tool(principal, tool_id, "tools:execute").slug]
    body = json.dumps(data).encode()
    _check(found, body)
    if found.requires_approval and not approved:
        raise Conflict(f"Tool {found.id} runs only after a person has approved the call, which nobody can do here yet.")
    context = context_of(
        principal,
        found.id,
        found.timeout if seconds is None else min(found.timeout, seconds),
        run_id=run_id,
        idempotency_key=idempotency_key,
        request_context=request_context or {},
    )
    return Work(found, body, context)


def _check(found: Declared, body: bytes) -> None:
    try:
        running.validated(found, body)
    except ValidationError as fault:
        raise InvalidInput(f"Invalid input for the tool {found.id}", running.issues_of(fault)) from None
    except PlatformError:
        raise
    except BaseException as failure:  # the tool's own validators run here, in the server
        details, limit = running.raised(failure).failure.details, settings.LIMIT_TOOL_RESULT_BYTES
        raise failed(found, "raised", details, trace_ids().trace_id, limit) from None


async def _done(work: Work) -> Any:
    trace_id, limit = trace_ids().trace_id, settings.LIMIT_TOOL_RESULT_BYTES
    try:
        body = await (
            inline.run(work.tool, work.data, work.context, limit) if work.tool.inline else _elsewhere(work, limit)
        )
        return json.loads(body)
    except running.Failed as failure:
        raise failed(work.tool, *failure.failure, trace_id, limit) from None
    except Refused as refused:
        answer = readable(refused.kind, refused.sentence, refused.issues, trace_id)
        if answer is None:
            raise failed(work.tool, "raised", f"{refused.kind}: {refused.sentence}", trace_id, limit) from None
        raise answer from None
    except (TooSlow, TimeoutError):
        raise too_slow(work.tool, work.seconds, trace_id) from None
    except Busy:
        raise too_busy(work.tool, work.seconds, trace_id) from None


async def _elsewhere(work: Work, limit: int) -> bytes:
    """In a tool process."""
    job = {
        "module": work.tool.function.__module__,
        "function": work.tool.function.__name__,
        "uses_models": work.tool.uses_models,
        "memory_mb": work.tool.memory_mb,
        "data": work.data.decode(),
        "context": asdict(work.context),
        "limit": limit,
    }
    try:
        answer = await pool().run(json.dumps(job).encode(), work.seconds)
    except frames.Ended:
        raise running.Failed("ended") from None
    except frames.TooLong as fault:
        raise running.Failed("large", f"{fault} bytes") from None
    except OSError as fault:
        raise running.Failed("start", str(fault)) from None
    return _read(answer)


def _read(answer: bytes) -> bytes:
    kind, body = answer[:1], answer[1:]
    if kind == child.VALUE:
        return body
    if kind == child.REFUSAL:
        raise Refused(**json.loads(body))
    raise running.Failed(*json.loads(body))
