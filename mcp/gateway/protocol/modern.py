"""The stateless generation, 2026-07-28: every request says everything."""

from typing import Any

import orjson

from gateway.protocol import envelope, headers
from gateway.protocol.channel import Channel
from gateway.protocol.envelope import Message
from gateway.protocol.errors import (
    MODERN_STATUS,
    ProtocolError,
    invalid_params,
    invalid_request,
    method_not_found,
    unsupported_version,
)
from gateway.protocol.exchange import Exchange
from gateway.protocol.relay import Relay
from gateway.protocol.server import InputRequired, Server, Visit
from gateway.protocol.versions import (
    CACHED,
    CAPABILITIES_KEY,
    LOG_LEVEL_KEY,
    LOG_LEVELS,
    MODERN,
    SERVER_INFO_KEY,
    SUPPORTED,
    VERSION_KEY,
)
from gateway.protocol.work import settled

FRESH_MS = 60_000  # how long a client may keep a list

# Methods of older generations, which a server may still know for them.
REMOVED = frozenset(
    {
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
    }
)


class Modern:
    """Answers one message after the other; nothing is kept between them."""

    def __init__(self, server: Server, relay: Relay) -> None:
        self.server, self.relay = server, relay
        own = orjson.dumps({SERVER_INFO_KEY: server.info()})
        self._plain = b'"resultType":"complete","_meta":' + own
        self._cached = b'"ttlMs":%d,"cacheScope":"private",' % FRESH_MS + self._plain

    async def respond(self, exchange: Exchange, caller: Any, visit: Visit, message: Message) -> None:
        """Answer one message."""
        if message.method is None:
            raise invalid_request("Clients of this revision send no responses")
        if message.id is None:
            await exchange.answer(202)
            return
        try:
            self._check(caller, visit, message)
            value = await self._result(exchange, caller, visit, message)
            await exchange.last(200, envelope.result(message.id, self._finished(message.method, value)))
        except ProtocolError as failure:
            failure.status = failure.status or MODERN_STATUS.get(failure.code, 200)
            raise

    def _check(self, caller: Any, visit: Visit, message: Message) -> None:
        version, capabilities = message.meta.get(VERSION_KEY), message.meta.get(CAPABILITIES_KEY)
        if not isinstance(version, str) or not isinstance(capabilities, dict):
            raise invalid_params(f"_meta must carry {VERSION_KEY} and {CAPABILITIES_KEY}")
        headers.check_mirrors(visit.headers, message, self._mirrored(caller, message))
        if version != MODERN:
            raise unsupported_version(version, SUPPORTED)
        level = message.meta.get(LOG_LEVEL_KEY)
        if level is not None and level not in LOG_LEVELS:
            raise invalid_params(f"{LOG_LEVEL_KEY} must be one of {', '.join(LOG_LEVELS)}")

    def _mirrored(self, caller: Any, message: Message) -> Any:
        name, arguments = message.params.get("name"), message.params.get("arguments")
        if message.method != "tools/call" or not isinstance(name, str):
            return None
        return self.server.mirrored(caller, name, arguments if isinstance(arguments, dict) else {})

    async def _result(self, exchange: Exchange, caller: Any, visit: Visit, message: Message) -> Any:
        method = message.method or ""
        if method == "server/discover":
            return self._discovered(caller)
        if method in REMOVED:
            raise method_not_found(method)
        channel = Channel(
            message,
            version=MODERN,
            modern=True,
            query=visit.query,
            capabilities=message.meta[CAPABILITIES_KEY],
            log_level=message.meta.get(LOG_LEVEL_KEY),
            emit=exchange.event,
            ask=_no_questions,
        )
        answer = self.server.handle(caller, method, channel)
        if answer is None:
            raise method_not_found(method)
        if isinstance(answer, bytes | dict | InputRequired):
            return answer
        return await settled(exchange, answer, relay=self.relay, name=None, leaving_cancels=True)  # type: ignore[arg-type]

    def _discovered(self, caller: Any) -> dict[str, Any]:
        found = {"supportedVersions": list(SUPPORTED), "capabilities": dict(self.server.capabilities(caller, True))}
        if (text := self.server.instructions(caller)) is not None:
            found["instructions"] = text
        return found

    def _finished(self, method: str, value: Any) -> bytes:
        if isinstance(value, bytes):
            return envelope.extended(value, self._cached if method in CACHED else self._plain)
        own = {SERVER_INFO_KEY: self.server.info()}
        if isinstance(value, InputRequired):
            return orjson.dumps({**value.body(), "_meta": own})
        fresh = {"ttlMs": FRESH_MS, "cacheScope": "private"} if method in CACHED else {}
        return orjson.dumps({"resultType": "complete", **fresh, **value, "_meta": {**value.get("_meta", {}), **own}})


async def _no_questions(method: str, params: dict[str, Any]) -> dict[str, Any]:
    raise TypeError(f"{method} cannot be asked of a client of this revision; answer InputRequired.")
