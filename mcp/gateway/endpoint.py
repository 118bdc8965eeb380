"""The MCP endpoint: an ASGI application of its own, in front of Django."""

import logging
import uuid
from collections.abc import Awaitable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from gateway.protocol import envelope, origins
from gateway.protocol import headers as header_rules
from gateway.protocol.envelope import Message
from gateway.protocol.errors import INTERNAL_ERROR, ProtocolError
from gateway.protocol.exchange import ClientGone, Exchange, HeaderList, Receive, Send
from gateway.protocol.headers import Headers
from gateway.protocol.legacy import Legacy
from gateway.protocol.modern import Modern
from gateway.protocol.options import EngineOptions
from gateway.protocol.relay import Relay
from gateway.protocol.server import Server, Visit
from gateway.protocol.versions import LEGACY_HEADERS, VERSION_KEY

logger = logging.getLogger(__name__)


class Endpoint:
    """Serves one Server at one path, with and without a slash at its end, to clients of both generations."""

    def __init__(self, server: Server, options: EngineOptions) -> None:
        self.server, self.options = server, options
        relay = Relay()
        self.modern, self.legacy = Modern(server, relay), Legacy(server, relay)

    def serves(self, path: str) -> bool:
        """Whether a path is ours."""
        return path == self.options.path or path == self.options.path + "/"

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        exchange = Exchange(receive, send)
        try:
            await self._serve(scope, exchange)
        except ClientGone:
            return
        except ProtocolError as failure:
            await _refuse(exchange, None, failure)

    async def _serve(self, scope: Mapping[str, Any], exchange: Exchange) -> None:
        headers = header_rules.read(scope["headers"])
        origin = origins.check(headers, self.options)
        exchange.extra = origins.cors(origin)
        if scope["method"] == "OPTIONS":
            await exchange.answer(204, b"", origins.preflight(headers.get("access-control-request-headers", "")))
            return
        modern = _names_modern(headers)
        if scope["method"] != "POST" and (modern or scope["method"] != "DELETE"):
            await exchange.answer(405, b"", [(b"allow", b"POST" if modern else b"POST, DELETE, OPTIONS")])
            return
        query = _query(scope["query_string"])
        visit = Visit(headers, query, (scope.get("client") or ("", 0))[0])
        caller: Any = self.server.authenticate(visit)
        if isinstance(caller, Awaitable):
            caller = await caller
        if scope["method"] == "DELETE":
            await self.legacy.end(exchange, caller, visit)
            return
        await self._post(exchange, caller, visit)

    async def _post(self, exchange: Exchange, caller: Any, visit: Visit) -> None:
        if not header_rules.is_json(visit.headers):
            raise header_rules.unsupported_media()
        if not header_rules.accepts(visit.headers):
            raise header_rules.not_acceptable()
        body = await exchange.body(visit.headers.get("content-length"), self.options.body_bytes)
        value = envelope.parse(body)
        try:
            await self._message(exchange, caller, visit, envelope.read(value))
        except ProtocolError as failure:
            await _refuse(exchange, envelope.id_of(value), failure)
        except ClientGone:
            raise
        except Exception:
            request_id = str(uuid.uuid4())
            logger.exception("Request %s failed", request_id)
            fault = ProtocolError(INTERNAL_ERROR, "The server made a mistake", {"requestId": request_id}, status=200)
            await _refuse(exchange, envelope.id_of(value), fault)

    async def _message(self, exchange: Exchange, caller: Any, visit: Visit, message: Message) -> None:
        modern = VERSION_KEY in message.meta or _names_modern(visit.headers)
        await (self.modern if modern else self.legacy).respond(exchange, caller, visit, message)


def _query(raw: bytes) -> dict[str, str]:
    """The query by lower-case names; a name that comes twice keeps all its values, so that no wish is lost."""
    found: dict[str, str] = {}
    for name, value in parse_qsl(raw.decode("latin-1"), keep_blank_values=True) if raw else ():
        key = name.lower()
        found[key] = f"{found[key]},{value}" if key in found else value
    return found


def _names_modern(headers: Headers) -> bool:
    version = headers.get("mcp-protocol-version")
    return version is not None and version not in LEGACY_HEADERS


async def _refuse(exchange: Exchange, request_id: envelope.RequestId | None, failure: ProtocolError) -> None:
    headers: HeaderList = [(name.lower().encode(), value.encode("latin-1")) for name, value in failure.headers.items()]
    await exchange.last(failure.status or 400, envelope.error(request_id, failure), headers)
