"""The websocket of live events: authenticate once, then be told what one may know until the credential ends."""

import asyncio
import logging
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer  # type: ignore[import-untyped]

from events import messages
from events.callers import Caller, KeyCaller, SessionCaller
from events.feed import Feed
from events.handshake import Handshake
from events.messages import Authenticate, Ping
from events.seats import seat
from ground.bridge import in_django
from ground.errors import Forbidden, InvalidInput, PlatformError, Unauthenticated
from identity.principal import Principal
from limits.addresses import charge_failure
from receipts import audit

logger = logging.getLogger(__name__)

AUTHENTICATE_SECONDS = 5.0
RECHECK_SECONDS = 5.0  # a credential that ended closes the connection no later, also when nothing happens
PERMISSION = "workflows:read"


class EventsConsumer(AsyncWebsocketConsumer):
    """One connection: messages are answered as they come, while one task tells events."""

    def __init__(self) -> None:
        super().__init__()
        self._introduction: asyncio.Future[Authenticate] = asyncio.get_running_loop().create_future()
        self._telling: asyncio.Task[None] | None = None
        self._is_open = False
        self._faults = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the connection, and leave no task behind however it ends."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._is_open = False
            if self._telling is not None:
                self._telling.cancel()
                await asyncio.gather(self._telling, return_exceptions=True)

    async def connect(self) -> None:
        """Accept, so that a refusal can say why, unless the request was meant for somebody else."""
        handshake = Handshake(self.scope)
        if not handshake.is_for_us:
            await self.close()
            return
        await self.accept()
        self._is_open = True
        self._telling = asyncio.create_task(self._tell_or_close(handshake))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Answer one message."""
        said = bytes_data or (text_data or "").encode("utf-8", "surrogatepass")
        if len(said) > messages.MESSAGE_BYTES:
            await self._end(messages.TOO_LARGE, "Messages have 64 KiB at most.")
            return
        try:
            await self._answer(messages.understood(said))
        except InvalidInput as failure:
            await self._fault(failure.sentence)

    async def _answer(self, message: Authenticate | Ping) -> None:
        if isinstance(message, Ping):
            await self.send(messages.pong())
        elif self._introduction.done():
            raise InvalidInput("This connection is authenticated already.")
        else:
            self._introduction.set_result(message)

    async def _fault(self, sentence: str) -> None:
        self._faults += 1
        if self._faults > messages.FAULTS:
            await self._end(messages.TOO_MANY_FAULTS, "Too many messages that are none.")
        else:
            await self.send(messages.fault(sentence))

    async def disconnect(self, code: int) -> None:
        """The client has left."""
        self._is_open = False

    async def _end(self, code: int, sentence: str) -> None:
        if self._is_open:
            self._is_open = False
            await self.send(messages.fault(sentence))  # a reason is not passed on by every server
            await self.close(code)

    async def _tell_or_close(self, handshake: Handshake) -> None:
        try:
            await self._tell(handshake)
        except PlatformError as failure:
            await self._end(messages.code_of(failure), failure.sentence)
        except Exception:
            if self._is_open:  # else the client left while something was sent
                logger.exception("A connection to events failed.")
                await self._end(messages.OUR_MISTAKE, "The server made a mistake; connect again.")

    async def _tell(self, handshake: Handshake) -> None:
        caller, cursor = await self._met(handshake)
        self._introduction.cancel()  # whoever is known needs none any more
        principal = await _admitted(caller)
        with seat(principal.credential):
            async with Feed(principal, cursor) as feed:
                await self.send(messages.ready(feed.cursor))
                while True:
                    entry = await feed.next(RECHECK_SECONDS)
                    feed.principal = await _admitted(caller)
                    if entry is not None and entry.admits(feed.principal):
                        await self.send(messages.told(entry))

    async def _met(self, handshake: Handshake) -> tuple[Caller, str | None]:
        """Who it is and from where it goes on: by header, by the session of a page of ours, or by the first message."""
        try:
            if key := handshake.key():
                return await _known(KeyCaller(key)), handshake.cursor
            if session_key := handshake.session_key:
                caller = SessionCaller(session_key)
                if await _is_known(caller):
                    return caller, handshake.cursor
            first = await self._introduced()
            return await _known(KeyCaller(first.key)), handshake.cursor if first.cursor is None else first.cursor
        except Unauthenticated:
            await in_django(_refused, handshake.address)
            raise

    async def _introduced(self) -> Authenticate:
        try:
            async with asyncio.timeout(AUTHENTICATE_SECONDS):
                return await self._introduction
        except TimeoutError:
            raise Unauthenticated("Authenticate within five seconds") from None


async def _known(caller: Caller) -> Caller:
    await caller.principal()
    return caller


async def _is_known(caller: Caller) -> bool:
    try:
        await caller.principal()
    except Unauthenticated:
        return False
    return True


async def _admitted(caller: Caller) -> Principal:
    principal = await caller.principal()
    if not principal.opens(PERMISSION):
        raise Forbidden(PERMISSION)
    return principal


def _refused(address: str) -> None:
    """Count and write down a failed authentication; RateLimited when there were too many."""
    charge_failure(address)
    audit.record_refusal(None, door="http", operation="authenticate", status=401, address=address)
