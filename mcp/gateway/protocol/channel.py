"""One request on its way: what came with it, and the way back to the client while it is worked on."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from gateway.protocol import envelope
from gateway.protocol.envelope import Message
from gateway.protocol.errors import ProtocolError, invalid_params
from gateway.protocol.versions import LOG_LEVELS

Emit = Callable[[bytes], Awaitable[None]]
Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


class Channel:
    """Handed to the server with each request. What it emits turns the answer into an event stream."""

    def __init__(
        self,
        message: Message,
        *,
        version: str,
        modern: bool,
        query: Mapping[str, str],
        capabilities: Mapping[str, Any],
        log_level: str | None,
        emit: Emit,
        ask: Ask,
    ) -> None:
        self.message, self.version, self.modern, self.query = message, version, modern, query
        self.capabilities, self.log_level = capabilities, log_level
        self._emit, self._ask = emit, ask
        self._progress = float("-inf")

    @property
    def params(self) -> dict[str, Any]:
        """The method's parameters."""
        return self.message.params

    @property
    def idempotency_key(self) -> str | None:
        """The key under which a repeated call gets the first one's answer."""
        key = self.message.meta.get("idempotencyKey")
        if key is not None and not isinstance(key, str):
            raise invalid_params("_meta.idempotencyKey must be a string")
        return key

    @property
    def wants_progress(self) -> bool:
        """Whether the client gave a token; 0 and the empty string are tokens."""
        token = self.message.meta.get("progressToken")
        return isinstance(token, str | int) and not isinstance(token, bool)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is; must rise, or nothing is sent."""
        if not self.wants_progress or progress <= self._progress:
            return
        self._progress = progress
        said: dict[str, Any] = {"progressToken": self.message.meta["progressToken"], "progress": progress}
        if total is not None:
            said["total"] = total
        if message is not None:
            said["message"] = message
        await self._emit(envelope.notification("notifications/progress", said))

    async def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Tell something at a level that the client asked for."""
        wanted = self.log_level
        if wanted is None or LOG_LEVELS.index(level) < LOG_LEVELS.index(wanted):
            return
        said = {"level": level, "data": data, **({"logger": logger} if logger else {})}
        await self._emit(envelope.notification("notifications/message", said))

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask the client (older generation only); its result, or ProtocolError with the client's error."""
        answer = await self._ask(method, params)
        if "error" in answer:
            failure = answer["error"]
            raise ProtocolError(int(failure.get("code", -32603)), str(failure.get("message", "The client refused")))
        result = answer.get("result")
        return result if isinstance(result, dict) else {}
