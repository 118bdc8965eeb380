"""Tools that run in the server itself: whatever they raise is theirs alone."""

import asyncio

from ground.bridge import in_django
from ground.errors import InvalidInput, PlatformError
from toolbox import running
from toolbox.context import ToolContext
from toolbox.declaring import Declared
from toolbox.failures import Refused
from toolbox.processes import TooSlow


async def run(tool: Declared, data: bytes, context: ToolContext, limit: int) -> bytes:
    """The result as JSON; Refused, running.Failed, TooSlow, and cancelled only by who called."""
    on_loop = running.is_asynchronous(tool)
    work = _awaited(tool, data, context, limit) if on_loop else in_django(_called, tool, data, context, limit)
    # A task of the tool's own: cancelling itself, it does not cancel ours.
    task = asyncio.ensure_future(work)
    try:
        async with asyncio.timeout(context.seconds):
            return await task
    except TimeoutError:
        raise TooSlow from None
    except asyncio.CancelledError as cancelled:
        if _is_ours():
            raise
        raise running.raised(cancelled) from None


def _is_ours() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _called(tool: Declared, data: bytes, context: ToolContext, limit: int) -> bytes:
    """In a thread, which nobody cancels."""
    try:
        return running.encoded(tool, running.call(tool, data, context), limit)
    except BaseException as failure:
        raise _told(failure) from None


async def _awaited(tool: Declared, data: bytes, context: ToolContext, limit: int) -> bytes:
    try:
        return running.encoded(tool, await running.call(tool, data, context), limit)
    except asyncio.CancelledError:
        raise
    except BaseException as failure:  # one that ends the process would end the loop and all of its calls
        raise _told(failure) from None


def _told(failure: BaseException) -> Exception:
    if isinstance(failure, running.Failed):
        return failure
    if isinstance(failure, PlatformError):
        issues = failure.issues if isinstance(failure, InvalidInput) else []
        return Refused(type(failure).__name__, failure.sentence, issues)
    return running.raised(failure)
