"""Views that answer later: what is pending is awaited without a thread or a connection."""

import asyncio
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from rest_framework.response import Response

from api.replies import Pending, Reply
from ground.bridge import in_django, on_background
from ground.errors import Unavailable


class WaitingResponse(Response):
    """No answer yet; `settle` makes it of the outcome, `release` gives up the place of a call that nobody awaits."""

    def __init__(
        self,
        pending: Pending,
        settle: Callable[[Reply | None, Exception | None], Response],
        release: Callable[[], None],
    ) -> None:
        super().__init__(None)
        self.pending, self.settle, self.release = pending, settle, release


def waiting(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view as a coroutine. When the client goes away the work is stopped and its place given back."""

    async def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        begun = asyncio.ensure_future(in_django(view, request, *args, **kwargs))
        try:
            response = await asyncio.shield(begun)
            if not isinstance(response, WaitingResponse):
                return response
            reply, failure = await _outcome(response.pending)
        except asyncio.CancelledError:
            begun.add_done_callback(_abandon)
            raise
        return await in_django(response.settle, reply, failure)

    for name in ("cls", "view_class", "initkwargs", "csrf_exempt"):
        setattr(answer, name, getattr(view, name, True))
    return answer


async def _outcome(pending: Pending) -> tuple[Reply | None, Exception | None]:
    try:
        return await asyncio.wrap_future(pending.future), None
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Nobody cancelled us: the work itself was stopped.
        return None, Unavailable("The work was stopped before it ended; try again.")
    except Exception as raised:
        return None, raised


def _abandon(begun: "asyncio.Future[Any]") -> None:
    """Stop what a response that nobody waits for still does; also one that only now has begun."""
    response = None if begun.cancelled() or begun.exception() else begun.result()
    if isinstance(response, WaitingResponse):
        response.pending.future.cancel()
        on_background(in_django(response.release))
