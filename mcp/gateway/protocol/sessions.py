"""Sessions of the older generation: a signed token that any worker accepts, and a restart does not lose."""

import hashlib
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.core import signing

from gateway.protocol.envelope import RequestId
from gateway.protocol.errors import INVALID_REQUEST, ProtocolError, invalid_params
from gateway.protocol.versions import LOG_LEVELS
from ground import valkey

SALT = "mcp.session"
LIFETIME = 30 * 24 * 3600  # seconds
RECHECKED = 5.0  # seconds after which another worker's word on a session is asked for again
KEPT = 4096
LONGEST = 4096  # characters of a token: it travels in a header with each request


@dataclass
class Session:
    """What `initialize` agreed on; `log_level` and `ended` are shared through Valkey."""

    token: str
    caller: str
    version: str
    capabilities: dict[str, Any]
    log_level: str | None = None
    ended: bool = False
    asked_at: float = field(default=float("-inf"))

    @property
    def name(self) -> str:
        """A short name for the token."""
        return hashlib.sha256(self.token.encode()).hexdigest()[:32]


class Sessions:
    """Opens, finds and ends them. While Valkey is away, a session that was not ended here goes on."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Session] = OrderedDict()
        self._client: Any = None

    def open(self, caller: str, version: str, capabilities: dict[str, Any]) -> Session:
        """A new session of this caller."""
        facts = {"v": version, "k": _digest(caller), "c": capabilities, "n": secrets.token_urlsafe(16)}
        token = signing.dumps(facts, salt=SALT, compress=True)
        if len(token) > LONGEST:
            raise invalid_params("capabilities are too large; name only what you can do")
        return self._keep(Session(token, _digest(caller), version, capabilities, asked_at=time.monotonic()))

    async def find(self, token: str, caller: str) -> Session:
        """The session; 404 for one that is unknown, ended, or another caller's."""
        session = self._known.get(token) or self._keep(_read(token))
        if session.caller != _digest(caller):
            raise _gone()
        if time.monotonic() - session.asked_at > RECHECKED:
            await self._recheck(session)
        if session.ended:
            raise _gone()
        return session

    async def end(self, session: Session) -> None:
        """Nobody answers this session any more, on any worker."""
        session.ended = True
        await self._share(session)

    async def set_log_level(self, session: Session, level: Any) -> None:
        """Log messages of this level and above are sent from now on."""
        if level not in LOG_LEVELS:
            raise invalid_params(f"level must be one of {', '.join(LOG_LEVELS)}")
        session.log_level = level
        await self._share(session)

    def _keep(self, session: Session) -> Session:
        self._known[session.token] = session
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return session

    def _valkey(self) -> Any:
        if self._client is None:
            self._client = valkey.async_client()
        return self._client

    async def _share(self, session: Session) -> None:
        said = orjson.dumps({"ended": session.ended, "log": session.log_level})
        try:
            await self._valkey().set(f"mcp:session:{session.name}", said, ex=LIFETIME)
        except valkey.Away:
            return  # this worker knows; the others hear of it no more

    async def _recheck(self, session: Session) -> None:
        session.asked_at = time.monotonic()
        try:
            said = await self._valkey().get(f"mcp:session:{session.name}")
        except valkey.Away:
            return
        if said is not None:
            found = orjson.loads(said)
            session.ended, session.log_level = bool(found["ended"]), found["log"]


def _digest(caller: str) -> str:
    return hashlib.sha256(caller.encode()).hexdigest()[:24]


def _read(token: str) -> Session:
    try:
        facts = signing.loads(token, salt=SALT, max_age=LIFETIME)
    except signing.BadSignature:
        raise _gone() from None
    return Session(token, facts["k"], facts["v"], facts["c"])


def _gone() -> ProtocolError:
    return ProtocolError(INVALID_REQUEST, "This session does not exist any more; initialize a new one", status=404)


def running_name(session: Session | None, caller: str, request_id: RequestId) -> tuple[str, RequestId]:
    """Under which name a running request is found by a cancellation."""
    return (session.name if session else _digest(caller), request_id)
