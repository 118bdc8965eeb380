"""A client that comes back with its cursor has lost nothing, wherever it comes back to."""

import time

from events.audience import Audience
from events.publishing import batch, publish
from ground.bridge import in_django
from tests.cast import Cast
from tests.events.happenings import run_event
from tests.events.sockets import Socket, listening, opened
from tests.gateway.clients import Door
from tests.gateway.servers import atrium, process_of


def happen(cast: Cast, first: int, end: int) -> None:
    """Events of ben, with as many of others between them."""
    with batch():
        for number in range(first, end):
            publish(run_event(str(number)), Audience(cast.tenant.id, cast.ben.user.id))
            publish(run_event("other"), Audience(cast.tenant.id, cast.bea.user.id))


async def hear(socket: Socket, count: int) -> tuple[list[int], str]:
    """The numbers of the next events, and the last cursor."""
    messages = [await socket.hear() for _ in range(count)]
    return [int(message["event"]["runId"]) for message in messages], messages[-1]["cursor"]


async def test_a_client_that_was_away_is_told_what_it_missed(cast: Cast, door: Door) -> None:
    async with listening(door, cast.ben.key) as socket:
        await in_django(happen, cast, 0, 100)
        before, cursor = await hear(socket, 60)
    await in_django(happen, cast, 100, 700)

    async with listening(door, cast.ben.key, cursor) as socket:
        await in_django(happen, cast, 700, 750)
        after, _ = await hear(socket, 690)

    assert before + after == list(range(750))


async def test_a_client_that_shows_its_key_in_the_header_names_its_cursor_in_the_address(
    cast: Cast, uvicorn: Door
) -> None:
    headers = {"Authorization": f"Bearer {cast.ben.key}"}
    async with opened(uvicorn, **headers) as socket:
        cursor = (await socket.hear())["cursor"]
    await in_django(happen, cast, 0, 3)

    async with opened(uvicorn, f"?cursor={cursor}", **headers) as socket:
        assert await socket.hear() == {"type": "ready", "cursor": cursor}
        assert (await hear(socket, 3))[0] == [0, 1, 2]


async def test_a_cursor_counts_at_another_process(cast: Cast) -> None:
    with atrium("daphne") as first:
        async with listening(first, cast.ben.key) as socket:
            await in_django(happen, cast, 0, 10)
            _, cursor = await hear(socket, 5)
    await in_django(happen, cast, 10, 20)

    with atrium("uvicorn") as second:
        async with listening(second, cast.ben.key, cursor) as socket:
            assert (await hear(socket, 15))[0] == list(range(5, 20))


async def test_a_cursor_of_another_tenant_opens_nothing_of_it(cast: Cast, uvicorn: Door) -> None:
    async with listening(uvicorn, cast.ben.key) as socket:
        await in_django(happen, cast, 0, 3)
        _, cursor = await hear(socket, 1)

    async with listening(uvicorn, cast.zoe.key, cursor) as socket:
        assert (await socket.hear())["type"] == "reset"
        await in_django(publish, run_event("own"), Audience(cast.other_tenant.id, cast.zoe.user.id))
        assert (await socket.hear())["event"]["runId"] == "own"


async def test_open_connections_do_not_hold_up_the_end_of_a_server(cast: Cast) -> None:
    for server in ("daphne", "uvicorn"):
        with atrium(server) as door:
            async with listening(door, cast.ben.key), listening(door, cast.ben.key):
                process, began = process_of(door), time.monotonic()
                process.terminate()
                await in_django(process.wait, 10)
                assert time.monotonic() - began < 6
