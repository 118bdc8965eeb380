"""The one function that runs a tool: limits, offer, arguments, the route, the result; one thread hop for all of it."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings

from api.calls import Circumstances
from api.exception_handler import as_platform_error
from api.replies import Pending, Reply
from gateway import results, router
from gateway.arguments import accepted
from gateway.offers import Arguments, Offer
from gateway.router import UnknownTool
from gateway.surface import EVERYTHING, Options, connection_options, surface
from ground.bridge import in_django, on_background
from ground.errors import Forbidden, PlatformError, RateLimited, TimedOut, Unauthenticated, Unavailable
from identity.principal import Principal
from limits.admission import Admission, admit
from receipts import audit

logger = logging.getLogger(__name__)

GRACE = 2.0  # seconds beyond a call's time: a route that keeps the deadline itself says more than we can
FIRST_PROGRESS, NEXT_PROGRESS = 1.0, 5.0  # seconds

Progress = Callable[[float], Awaitable[None]]


class InsufficientScope(Forbidden):
    """The user's role would allow it, the access token's scopes do not: the client may ask for more."""

    def __init__(self, principal: Principal, scopes: tuple[str, ...]) -> None:
        self.scopes = scopes
        lacking = [scope for scope in scopes if not principal.in_scope(scope)]
        super().__init__(lacking[0], f"This access token lacks the scope {' and '.join(lacking)}.")


class Mistake(Exception):
    """Our own fault; the caller reads the request id and nothing else."""

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        super().__init__(PlatformError.default)


# Answered as JSON-RPC errors; every other error is a result that the model reads.
PROTOCOL_ERRORS = (UnknownTool, RateLimited, Unavailable, Unauthenticated, InsufficientScope)


@dataclass(frozen=True, slots=True)
class Context:
    """What comes with a call besides its arguments; `progress` when the client wants to hear of it."""

    request_id: str
    options: Options = EVERYTHING
    idempotency_key: str | None = None
    progress: Progress | None = None


async def call(principal: Principal, name: str, arguments: Arguments | None, context: Context) -> bytes:
    """Run a tool; its result as JSON. Raises one of PROTOCOL_ERRORS, or Mistake. Cancelling stops the work."""
    work = _Work(principal, name, arguments, context)
    limit = settings.LIMIT_CALL_SECONDS
    ticking = asyncio.ensure_future(_report(context.progress)) if context.progress else None
    try:
        async with asyncio.timeout(limit + GRACE):
            return await work.run()
    except TimeoutError:
        return results.of_error(TimedOut(f"The call took longer than {limit:g} seconds and was stopped; ask for less."))
    finally:
        if ticking is not None:
            ticking.cancel()
            with suppress(asyncio.CancelledError):
                await ticking


async def _report(progress: Progress) -> None:
    """Tell the seconds that have passed, the first time after one."""
    passed, pause = 0.0, FIRST_PROGRESS
    while True:
        await asyncio.sleep(pause)
        passed, pause = passed + pause, NEXT_PROGRESS
        await progress(passed)


class _Work:
    """One call on its way; `_begin` and `_end` run in a thread of the bridge."""

    def __init__(self, principal: Principal, name: str, arguments: Arguments | None, context: Context) -> None:
        self.principal, self.name, self.context = principal, name, context
        self.arguments: Arguments = arguments or {}
        self.offer: Offer | None = None
        self.admission: Admission | None = None
        self.pending: Pending | None = None
        self._lock = threading.Lock()
        self._abandoned = self._reached_route = False

    async def run(self) -> bytes:
        """Begin, wait without a thread where there is something to wait for, end."""
        try:
            answer = await in_django(self._begin)
            if isinstance(answer, bytes):
                return answer
            try:
                reply, failure = await asyncio.wrap_future(answer.future), None
            except Exception as raised:
                reply, failure = None, raised
            return await in_django(self._end, reply, failure)
        except asyncio.CancelledError:
            self._abandon()
            task = asyncio.current_task()
            if task is not None and not task.cancelling():  # nobody cancelled us: the work itself was stopped
                raise Unavailable("The work was stopped before it ended; try again.") from None
            raise

    def _begin(self) -> bytes | Pending:
        options = connection_options.set(self.context.options)
        try:
            answer = self._answered()
        except Exception as failure:
            answer = self._failed(failure)
        finally:
            connection_options.reset(options)
            if self.pending is None:
                self._release()
        with self._lock:
            if self._abandoned and self.pending is not None:
                self.pending.future.cancel()
                self._release()
        return answer

    def _answered(self) -> bytes | Pending:
        self.admission = admit(self.principal.credential, self.principal.tenant_id)
        seen = surface(self.principal, self.context.options)
        if (listing := seen.router.get(self.name)) is not None:
            self.arguments = accepted(listing, self.arguments)
            if self.name in router.ANSWERS:
                return results.of_value(listing, router.ANSWERS[self.name](seen, self.arguments))
            self.name, self.arguments = self.arguments["name"], self.arguments.get("input") or {}
        self.offer = offer = seen.find(self.name)
        if offer is None:
            raise UnknownTool(self.name)
        if offer.step_up:
            raise InsufficientScope(self.principal, offer.step_up)
        self.arguments = accepted(offer, self.arguments)
        self._reached_route = True  # which writes down its own refusals
        answer = offer.run(self.principal, self.arguments, self._circumstances(offer, seen.conf.wait_seconds))
        if isinstance(answer, Pending):
            with self._lock:
                self.pending = answer
            return answer
        return results.of_reply(offer, self.arguments, answer.body)

    def _circumstances(self, offer: Offer, wait_seconds: float) -> Circumstances:
        context = self.context
        return Circumstances(
            door="mcp",
            tool=offer.name,
            request_id=context.request_id,
            idempotency_key=context.idempotency_key,
            wait_seconds=wait_seconds,
        )

    def _end(self, reply: Reply | None, failure: Exception | None) -> bytes:
        self._release()
        try:
            if failure is not None or reply is None or self.offer is None:
                raise failure or TypeError("A pending call ended without a reply.")
            return results.of_reply(self.offer, self.arguments, reply.body)
        except Exception as raised:
            return self._failed(raised)

    def _failed(self, failure: Exception) -> bytes:
        """The error as a result; raises what the protocol has a code for, and Mistake for what nobody foresaw."""
        error = as_platform_error(failure, "GET")
        if error is None:
            logger.error("Call %s failed", self.context.request_id, exc_info=failure)
            raise Mistake(self.context.request_id) from failure
        if not self._reached_route and not isinstance(error, Unavailable):
            self._write_down(error)
        if isinstance(error, PROTOCOL_ERRORS):
            raise error from failure
        return results.of_error(error)

    def _write_down(self, error: PlatformError) -> None:
        audit.record_refusal(
            self.principal,
            door="mcp",
            operation="tools/call",
            status=error.status,
            tool=self.name,
            request_id=self.context.request_id,
        )

    def _release(self) -> None:
        if self.admission is not None:
            self.admission.release()

    def _abandon(self) -> None:
        """The client is gone or out of patience: stop what can be stopped, and give the slot back."""
        with self._lock:
            self._abandoned = True
            if self.pending is None:
                return
        self.pending.future.cancel()
        on_background(in_django(self._release))
