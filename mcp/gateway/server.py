"""What the wire engine serves in production: real accounts, the surface of each caller, real calls."""

import uuid
from collections.abc import Awaitable, Mapping
from typing import Any

from gateway import accounts, calls
from gateway.accounts import Visitor
from gateway.calls import Context
from gateway.protocol import cursors
from gateway.protocol.channel import Channel
from gateway.protocol.errors import invalid_params
from gateway.protocol.server import Result, Visit
from gateway.refusals import protocol_error
from gateway.server_info import INSTRUCTIONS, NAME, TITLE, VERSION
from gateway.surface import Surface, kept, surface
from ground.bridge import in_django
from ground.invalidation import listener
from identity.principal import Principal
from limits.admission import admit_list


class AtriumServer:
    """Tools, and nothing else yet: no resources, no prompts."""

    def info(self) -> Mapping[str, Any]:
        """`serverInfo`."""
        return {"name": NAME, "title": TITLE, "version": VERSION}

    def capabilities(self, caller: Visitor, modern: bool) -> Mapping[str, Any]:
        """What is declared to this caller."""
        return {"tools": {}}

    def instructions(self, caller: Visitor) -> str | None:
        """How a model should begin."""
        return INSTRUCTIONS

    def authenticate(self, visit: Visit) -> Visitor | Awaitable[Visitor]:
        """The caller; raises ProtocolError when there is none."""
        return accounts.authenticate(visit)

    def handle(self, caller: Visitor, method: str, channel: Channel) -> Result | Awaitable[Result] | None:
        """`tools/list` from memory while it is warm, `tools/call` through one thread hop."""
        if method == "tools/list":
            return self._list(caller, channel.params)
        if method == "tools/call":
            return self._call(caller, channel)
        return None

    def mirrored(self, caller: Visitor, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """No tool of ours wants its arguments repeated in headers."""
        return {}

    def _list(self, caller: Visitor, params: Mapping[str, Any]) -> Result | Awaitable[Result]:
        page = cursors.load(caller.key, params["cursor"]) if "cursor" in params else 0
        seen = kept(caller.principal, caller.options)
        if seen is None or (caller.principal.credential.router and not listener.is_up):
            return self._list_cold(caller, page)
        try:
            admit_list(caller.principal.credential)
        except Exception as failure:
            raise protocol_error(failure) from failure
        return _page(caller, seen, page)

    async def _list_cold(self, caller: Visitor, page: int) -> Result:
        def read(principal: Principal) -> Surface:
            admit_list(principal.credential)
            return surface(principal, caller.options)

        try:
            return _page(caller, await in_django(read, caller.principal), page)
        except Exception as failure:
            raise protocol_error(failure) from failure

    async def _call(self, caller: Visitor, channel: Channel) -> Result:
        name, arguments = channel.params.get("name"), channel.params.get("arguments")
        if not isinstance(name, str):
            raise invalid_params("name must be a string: the name of a tool")
        if arguments is not None and not isinstance(arguments, dict):
            raise invalid_params("arguments must be an object")
        context = Context(
            request_id=str(uuid.uuid4()),
            options=caller.options,
            idempotency_key=channel.idempotency_key,
            progress=channel.progress if channel.wants_progress else None,
        )
        try:
            return await calls.call(caller.principal, name, arguments, context)
        except Exception as failure:
            raise protocol_error(failure) from failure


def _page(caller: Visitor, seen: Surface, page: int) -> bytes:
    if page >= len(seen.pages):
        page = len(seen.pages) - 1  # the list became shorter since the cursor was given
    if page + 1 == len(seen.pages):
        return seen.pages[page]
    following = cursors.dump(caller.key, page + 1).encode()
    return seen.pages[page][:-1] + b',"nextCursor":"' + following + b'"}'
