"""Who may listen at `/ws/events`, and for how long."""

from typing import Any

import pytest
from django.test import Client
from websockets.exceptions import InvalidStatus

from credentials.actions import revoke_key
from credentials.models import ApiKey
from events.audience import Audience
from events.publishing import publish
from ground.bridge import in_django
from identity.invalidation import rights_changed
from identity.models import User
from tests.admin.browser import signed_in
from tests.cast import Cast
from tests.events.happenings import run_event
from tests.events.sockets import Socket, listening, opened
from tests.gateway.clients import Door

UNKNOWN = "mcpk_abcdefghijkl_" + "x" * 43


async def is_told(socket: Socket, cast: Cast) -> bool:
    """Whether an event for whoever writes workflows arrives."""
    await in_django(publish, run_event("told"), Audience(cast.tenant.id, permission="workflows:write"))
    return bool((await socket.hear())["event"]["runId"] == "told")


def cookie_of(cast: Cast) -> str:
    """The session cookie of ana, signed in at the admin."""
    client: Client = signed_in(cast.ana)
    return f"sessionid={client.cookies['sessionid'].value}"


async def test_a_key_in_the_header_opens_it(cast: Cast, door: Door) -> None:
    async with opened(door, Authorization=f"Bearer {cast.ana.key}") as socket:
        assert (await socket.hear()).keys() == {"type", "cursor"}
        assert await is_told(socket, cast)


async def test_a_key_in_the_first_message_opens_it(cast: Cast, door: Door) -> None:
    async with listening(door, cast.ana.key) as socket:
        assert await is_told(socket, cast)


@pytest.mark.parametrize("name", ["key", "token", "other"])
async def test_a_key_in_the_address_is_refused(cast: Cast, door: Door, name: str) -> None:
    async with opened(door, f"?{name}={cast.ana.key}", Authorization=f"Bearer {cast.ana.key}") as socket:
        assert await socket.closed() == (4401, "A key belongs in the Authorization header or in the first message")


@pytest.mark.parametrize("key", [UNKNOWN, "", "nonsense", "mcpk_"])
async def test_a_wrong_key_is_refused(door: Door, key: str) -> None:
    async with opened(door) as socket:
        await socket.say({"type": "authenticate", "key": key})
        assert await socket.closed() == (4401, "Invalid or expired credential")


async def test_a_wrong_key_in_the_header_is_refused(door: Door) -> None:
    async with opened(door, Authorization=f"Bearer {UNKNOWN}") as socket:
        assert await socket.closed() == (4401, "Invalid or expired credential")


async def test_who_says_nothing_is_closed_after_five_seconds(uvicorn: Door) -> None:
    async with opened(uvicorn) as socket:
        assert await socket.closed() == (4401, "Authenticate within five seconds")


async def test_a_key_that_may_not_read_workflows_is_refused(cast: Cast, uvicorn: Door) -> None:
    key = await in_django(cast.ana.issue, ["*"], scopes=["agents:read"])

    async with opened(uvicorn, Authorization=f"Bearer {key}") as socket:
        assert await socket.closed() == (4403, "Missing required permission: workflows:read")


async def test_the_session_of_a_page_of_ours_opens_it(cast: Cast, door: Door) -> None:
    async with opened(door, Cookie=await in_django(cookie_of, cast), Origin=door.base) as socket:
        assert (await socket.hear())["type"] == "ready"
        assert await is_told(socket, cast)


@pytest.mark.parametrize("origin", ["https://evil.test", "null", "http://127.0.0.1:1", None])
async def test_the_session_counts_for_nothing_on_other_pages(cast: Cast, door: Door, origin: str | None) -> None:
    headers: dict[str, Any] = {"Cookie": await in_django(cookie_of, cast)}

    async with opened(door, **headers, **({"Origin": origin} if origin else {})) as socket:
        await socket.say({"type": "ping"})
        assert await socket.hear() == {"type": "pong"}
        await socket.say({"type": "authenticate", "key": UNKNOWN})
        assert (await socket.closed())[0] == 4401


async def test_a_session_that_is_none_counts_for_nothing(uvicorn: Door) -> None:
    async with opened(uvicorn, Cookie="sessionid=invented", Origin=uvicorn.base) as socket:
        assert (await socket.closed())[0] == 4401


async def test_another_host_is_refused(uvicorn: Door) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        async with opened(uvicorn, Host="evil.test"):
            pass


async def test_a_revoked_key_is_closed(cast: Cast, door: Door) -> None:
    key = await in_django(cast.ben.issue, ["*"])
    async with listening(door, key) as socket:
        lookup = key.split("_")[1]
        await in_django(lambda: revoke_key(cast.ana.principal, key=ApiKey.objects.get(lookup=lookup)))

        assert await socket.closed(7) == (4401, "Invalid or expired credential")


async def test_a_revoked_key_is_noticed_at_the_next_event(cast: Cast, uvicorn: Door) -> None:
    key = await in_django(cast.ben.issue, ["*"])
    async with listening(uvicorn, key) as socket:
        lookup = key.split("_")[1]
        await in_django(lambda: revoke_key(cast.ana.principal, key=ApiKey.objects.get(lookup=lookup)))
        told = 0
        while (message := await next_after_an_event(socket, cast))["type"] == "event":
            told += 1  # until the server has heard of it

    assert message == {"type": "error", "error": "Invalid or expired credential"}
    assert told < 20


async def next_after_an_event(socket: Socket, cast: Cast) -> Any:
    """What the server says when something happens."""
    await in_django(publish, run_event(), Audience(cast.tenant.id, cast.ben.user.id))
    return await socket.hear(1)


async def test_the_session_of_somebody_inactive_is_closed(cast: Cast, uvicorn: Door) -> None:
    def leave() -> None:
        User.objects.filter(pk=cast.ana.user.pk).update(is_active=False)
        rights_changed(cast.tenant.id)

    async with opened(uvicorn, Cookie=await in_django(cookie_of, cast), Origin=uvicorn.base) as socket:
        await socket.hear()
        await in_django(leave)

        assert (await socket.closed(7))[0] == 4401
