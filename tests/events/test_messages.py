"""What a client may say at `/ws/events`, and how much."""

import pytest

from ground.bridge import in_django
from tests.cast import Cast
from tests.events.sockets import listening, opened
from tests.gateway.clients import Door
from tests.gateway.servers import atrium


async def test_a_ping_is_answered(cast: Cast, door: Door) -> None:
    async with listening(door, cast.ben.key) as socket:
        await socket.say({"type": "ping"})

        assert await socket.hear() == {"type": "pong"}


STRINGS = "Authenticate with a key, and with a cursor when there is one: both are strings."


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("nonsense", "Messages are JSON objects."),
        (b"\x00\xff", "Messages are JSON objects."),
        ('{"type":"ping","type":"ping"}', "Messages are JSON objects."),
        ("[1]", "Messages are of the types authenticate and ping."),
        ({"type": "publish"}, "Messages are of the types authenticate and ping."),
        ({"type": "authenticate", "key": 7}, STRINGS),
        ({"type": "authenticate", "key": "k", "cursor": 7}, STRINGS),
        ({"type": "authenticate", "key": "k"}, "This connection is authenticated already."),
    ],
)  # fmt: skip
async def test_what_is_not_understood_is_answered_with_a_sentence(
    cast: Cast, door: Door, message: object, sentence: str
) -> None:
    async with listening(door, cast.ben.key) as socket:
        await socket.say(message)
        assert await socket.hear() == {"type": "error", "error": sentence}

        await socket.say({"type": "ping"})
        assert await socket.hear() == {"type": "pong"}


async def test_who_goes_on_talking_nonsense_is_closed(cast: Cast, uvicorn: Door) -> None:
    async with listening(uvicorn, cast.ben.key) as socket:
        for _ in range(21):
            await socket.say("nonsense")

        assert await socket.closed() == (4429, "Too many messages that are none.")


async def test_a_message_that_is_too_long_ends_the_connection(cast: Cast, door: Door) -> None:
    async with listening(door, cast.ben.key) as socket:
        await socket.say("x" * (64 * 1024 + 1))

        assert await socket.closed() == (4413, "Messages have 64 KiB at most.")


@pytest.mark.parametrize("cursor", ["tomorrow", "1-2-3", "99999999999999999999-0", ""])
async def test_a_cursor_that_is_none_is_refused(cast: Cast, uvicorn: Door, cursor: str) -> None:
    async with opened(uvicorn) as socket:
        await socket.say({"type": "authenticate", "key": cast.ben.key, "cursor": cursor})

        assert await socket.closed() == (4400, "Invalid cursor")


async def test_a_credential_has_only_so_many_connections(cast: Cast) -> None:
    with atrium("uvicorn", LIMIT_EVENT_CONNECTIONS="2") as door:
        other = await in_django(cast.ben.issue, ["*"])
        async with listening(door, cast.ben.key), listening(door, cast.ben.key):
            async with opened(door, Authorization=f"Bearer {cast.ben.key}") as socket:
                assert await socket.closed() == (4429, "This credential already has 2 connections to events.")
            async with listening(door, other):
                pass
        async with listening(door, cast.ben.key):
            pass


async def test_an_address_that_guesses_is_told_to_wait() -> None:
    with atrium("uvicorn", LIMIT_FAILED_AUTHENTICATIONS="3") as door:
        codes = []
        for _ in range(4):
            async with opened(door, Authorization="Bearer mcpk_nobody") as socket:
                codes.append((await socket.closed())[0])

    assert codes == [4401, 4401, 4401, 4429]
