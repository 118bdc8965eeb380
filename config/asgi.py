"""The MCP endpoint answers before Django, and websockets beside it; everything else is Django's."""

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import config  # noqa: F401  (puts the source roots on the path)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.core.asgi import get_asgi_application

django = get_asgi_application()

from events.routing import websocket  # noqa: E402  (needs the app registry)
from gateway.door import endpoint, serves  # noqa: E402  (needs the app registry)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Route one connection."""
    if scope["type"] == "websocket":
        await websocket(scope, receive, send)
    elif scope["type"] == "http" and serves(scope["path"]):
        await endpoint(scope, receive, send)
    else:
        await django(scope, receive, send)
