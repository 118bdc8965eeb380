"""The older generation, 2025-03-26 to 2025-11-25: `initialize`, sessions, and questions to the client."""

import asyncio
import secrets
from typing import Any

import orjson

from gateway.protocol import envelope
from gateway.protocol.channel import Channel
from gateway.protocol.envelope import Message, is_id
from gateway.protocol.errors import ProtocolError, invalid_params, invalid_request, method_not_found
from gateway.protocol.exchange import Exchange
from gateway.protocol.relay import Relay
from gateway.protocol.server import Server, Visit
from gateway.protocol.sessions import Session, Sessions, running_name
from gateway.protocol.versions import ASSUMED, LEGACY
from gateway.protocol.work import Cancelled, settled

ANSWER_SECONDS = 300.0  # how long a client may take to answer a question


class Legacy:
    """A session is optional for requests: it carries what the client can do, and nothing that a call depends on."""

    def __init__(self, server: Server, relay: Relay) -> None:
        self.server, self.relay, self.sessions = server, relay, Sessions()

    async def respond(self, exchange: Exchange, caller: Any, visit: Visit, message: Message) -> None:
        """Answer one message."""
        session = await self._session(caller, visit)
        version = _version(visit, session)
        if message.answer is not None:
            await self.relay.answer(str(message.id), message.answer)
            await exchange.answer(202)
        elif message.id is None:
            await self._notified(caller, session, message)
            await exchange.answer(202)
        else:
            await self._request(exchange, caller, visit, message, session, version)

    async def end(self, exchange: Exchange, caller: Any, visit: Visit) -> None:
        """DELETE: the session is over, on every worker."""
        session = await self._session(caller, visit)
        if session is None:
            raise invalid_request("Mcp-Session-Id is missing")
        await self.sessions.end(session)
        await exchange.answer(204)

    async def _session(self, caller: Any, visit: Visit) -> Session | None:
        token = visit.headers.get("mcp-session-id")
        return await self.sessions.find(token, caller.key) if token is not None else None

    async def _notified(self, caller: Any, session: Session | None, message: Message) -> None:
        request_id = message.params.get("requestId")
        if message.method == "notifications/cancelled" and is_id(request_id):
            await self.relay.cancel(running_name(session, caller.key, request_id))

    async def _initialize(self, exchange: Exchange, caller: Any, message: Message) -> None:
        asked, capabilities = message.params.get("protocolVersion"), message.params.get("capabilities", {})
        if not isinstance(asked, str) or not isinstance(capabilities, dict):
            raise invalid_params("initialize needs protocolVersion and capabilities")
        version = asked if asked in LEGACY else LEGACY[0]
        session = self.sessions.open(caller.key, version, capabilities)
        said: dict[str, Any] = {
            "protocolVersion": version,
            "capabilities": dict(self.server.capabilities(caller, False)),
            "serverInfo": dict(self.server.info()),
        }
        if (text := self.server.instructions(caller)) is not None:
            said["instructions"] = text
        headers = [(b"mcp-session-id", session.token.encode())]
        await exchange.answer(200, envelope.result(message.id, orjson.dumps(said)), headers)

    async def _request(
        self, exchange: Exchange, caller: Any, visit: Visit, message: Message, session: Session | None, version: str
    ) -> None:
        try:
            if message.method == "initialize":
                await self._initialize(exchange, caller, message)
                return
            value = await self._result(exchange, caller, visit, message, session, version)
        except Cancelled:
            await exchange.ended()
            return
        except ProtocolError as failure:
            failure.status = failure.status or 200
            raise
        payload = value if isinstance(value, bytes) else orjson.dumps(dict(value))
        await exchange.last(200, envelope.result(message.id, payload))

    async def _result(
        self, exchange: Exchange, caller: Any, visit: Visit, message: Message, session: Session | None, version: str
    ) -> Any:
        method = message.method or ""
        if method == "ping":
            return b"{}"
        if method == "logging/setLevel" and "logging" in self.server.capabilities(caller, False):
            if session is not None:
                await self.sessions.set_log_level(session, message.params.get("level"))
            return b"{}"
        channel = Channel(
            message,
            version=version,
            modern=False,
            query=visit.query,
            capabilities=session.capabilities if session else {},
            log_level=(session.log_level or "debug") if session else None,
            emit=exchange.event,
            ask=lambda asked, params: self._ask(exchange, asked, params),
        )
        answer = self.server.handle(caller, method, channel)
        if answer is None:
            raise method_not_found(method)
        if isinstance(answer, bytes | dict):
            return answer
        assert message.id is not None
        name = running_name(session, caller.key, message.id)
        return await settled(exchange, answer, relay=self.relay, name=name, leaving_cancels=False)  # type: ignore[arg-type]

    async def _ask(self, exchange: Exchange, method: str, params: dict[str, Any]) -> dict[str, Any]:
        ask_id = secrets.token_urlsafe(16)
        self.relay.listen()
        future = self.relay.asked[ask_id] = asyncio.get_running_loop().create_future()
        try:
            await exchange.event(envelope.request(ask_id, method, params))
            async with asyncio.timeout(ANSWER_SECONDS):
                answer: dict[str, Any] = await future
                return answer
        finally:
            del self.relay.asked[ask_id]


def _version(visit: Visit, session: Session | None) -> str:
    shown = visit.headers.get("mcp-protocol-version")
    if shown is None:
        return session.version if session else ASSUMED
    if shown not in LEGACY:
        raise invalid_request(f"MCP-Protocol-Version {shown[:40]} is not supported; use one of {', '.join(LEGACY)}")
    return shown
