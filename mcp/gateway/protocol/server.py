"""What the engine serves: implemented once with real accounts and tools, and once by the fixtures of the tests."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from gateway.protocol.channel import Channel
from gateway.protocol.headers import Headers


class Caller(Protocol):
    """Whoever is authenticated; `key` is stable for one credential and binds sessions and cursors to it."""

    @property
    def key(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Visit:
    """What came with a request besides its message."""

    headers: Headers
    query: Mapping[str, str]
    peer: str


@dataclass(frozen=True, slots=True)
class InputRequired:
    """A modern result that asks the client for something; `state` comes back as it was given."""

    requests: Mapping[str, Any] | None = None
    state: str | None = None

    def body(self) -> dict[str, Any]:
        """As it goes over the wire."""
        shown: dict[str, Any] = {"resultType": "input_required"}
        if self.requests:
            shown["inputRequests"] = dict(self.requests)
        if self.state is not None:
            shown["requestState"] = self.state
        return shown


# A finished result: an object, or its JSON when it is kept serialised.
Result = Mapping[str, Any] | bytes | InputRequired


class Server(Protocol):
    """Accounts and methods. Whatever has an answer at hand returns it; whatever must wait returns an awaitable."""

    def info(self) -> Mapping[str, Any]:
        """`serverInfo`."""

    def capabilities(self, caller: Any, modern: bool) -> Mapping[str, Any]:
        """What is declared to this caller."""

    def instructions(self, caller: Any) -> str | None:
        """How a model should begin."""

    def authenticate(self, visit: Visit) -> Caller | Awaitable[Caller]:
        """The caller; raises ProtocolError when there is none."""

    def handle(self, caller: Any, method: str, channel: Channel) -> Result | Awaitable[Result] | None:
        """The result of a method that is not of the protocol itself; None when there is no such method."""

    def mirrored(self, caller: Any, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """`mcp-param-…` header → value, for the arguments that a tool wants repeated in headers."""
