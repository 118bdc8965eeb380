"""The messages of a websocket, both ways, and the codes with which it is closed."""

from dataclasses import dataclass
from typing import Any

import orjson

from events.entries import Entry
from ground import strict_json
from ground.errors import (
    Forbidden,
    InvalidInput,
    PlatformError,
    RateLimited,
    TooLarge,
    Unauthenticated,
    Unavailable,
)

MESSAGE_BYTES = 64 * 1024
FAULTS = 20  # messages that we do not understand, after which a connection is closed

# Our own numbers, of the statuses of HTTP: those of the protocol's are not for servers to send on every server.
TOO_LARGE, TOO_MANY_FAULTS, OUR_MISTAKE = 4413, 4429, 4500
_CODES: dict[type[PlatformError], int] = {
    InvalidInput: 4400,
    Unauthenticated: 4401,
    Forbidden: 4403,
    RateLimited: 4429,
    Unavailable: 4503,
}


@dataclass(frozen=True, slots=True)
class Authenticate:
    """The first message of a client that showed no key in its headers."""

    key: str
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Ping:
    """A client asks whether we are there."""


def understood(text: bytes) -> Authenticate | Ping:
    """What a client says; InvalidInput with one sentence when it is nothing that we know."""
    try:
        message = strict_json.loads(text)
    except (InvalidInput, TooLarge):
        raise InvalidInput("Messages are JSON objects.") from None
    match message:
        case {"type": "ping"}:
            return Ping()
        case {"type": "authenticate", "key": str(key), "cursor": str() | None as cursor}:
            return Authenticate(key, cursor)
        case {"type": "authenticate", "key": str(key)} if "cursor" not in message:
            return Authenticate(key, None)
        case {"type": "authenticate"}:
            raise InvalidInput("Authenticate with a key, and with a cursor when there is one: both are strings.")
    raise InvalidInput("Messages are of the types authenticate and ping.")


def code_of(failure: PlatformError) -> int:
    """With which code the connection is closed for it."""
    return _CODES.get(type(failure), OUR_MISTAKE)


def ready(cursor: str) -> str:
    """The client is known; what happens after the cursor follows."""
    return _text({"type": "ready", "cursor": cursor})


def told(entry: Entry) -> str:
    """An event, or that not all of them can be told."""
    if entry.is_reset:
        return _text({"type": "reset", "cursor": entry.id})
    return _text({"type": "event", "cursor": entry.id, "event": entry.event})


def pong() -> str:
    """We are there."""
    return _text({"type": "pong"})


def fault(sentence: str) -> str:
    """The client's message was not understood."""
    return _text({"type": "error", "error": sentence})


def _text(message: dict[str, Any]) -> str:
    return orjson.dumps(message).decode()
