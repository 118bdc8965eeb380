"""Which websockets there are."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from events.consumer import EventsConsumer

PATH = "/ws/events"

_events = EventsConsumer.as_asgi()


async def websocket(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[Mapping[str, Any]], Awaitable[None]],
) -> None:
    """Serve one connection; any path but ours is refused."""
    if scope["path"] == PATH:
        await _events(scope, receive, send)
    else:
        await receive()
        await send({"type": "websocket.close"})
