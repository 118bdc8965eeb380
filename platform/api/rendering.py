"""JSON out, by orjson."""

from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer


class JSONRenderer(BaseRenderer):
    """Compact JSON."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """The bytes of the answer; nothing for an empty one."""
        return b"" if data is None else orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS)


class EventStreamRenderer(JSONRenderer):
    """Lets a client ask for server-sent events; what is answered before they begin is JSON."""

    media_type = "text/event-stream"
    format = "sse"
