"""Two hundred clients over two tenants, a thousand events: each is told exactly its own, in order."""

import asyncio
import time
from collections import defaultdict
from contextlib import AsyncExitStack
from uuid import UUID

import pytest

from events.audience import Audience
from events.publishing import batch, publish
from ground.bridge import in_django
from tests.cast import Cast, Person
from tests.events.happenings import run_event
from tests.events.sockets import Socket, listening
from tests.gateway.servers import atrium

CLIENTS, EVENTS = 200, 1000
END = "end"


def audiences(cast: Cast) -> list[tuple[Audience, list[Person]]]:
    """Audiences of both tenants, and who is in each: owners hold every permission, members read workflows."""
    north, south = cast.tenant.id, cast.other_tenant.id
    return [
        (Audience(north, cast.ben.user.id, "workflows:write"), [cast.ana, cast.ben]),
        (Audience(south, cast.zoe.user.id, "workflows:write"), [cast.zoe]),
        (Audience(north, cast.bea.user.id), [cast.bea]),
        (Audience(south, cast.ben.user.id, "workflows:write"), [cast.zoe]),
        (Audience(north, permission="workflows:read"), [cast.ana, cast.ben, cast.bea]),
        (Audience(south, cast.ana.user.id), []),
    ]


def happen(cast: Cast) -> dict[UUID, list[str]]:
    """Publish all events, and an end for everybody; what each user should be told."""
    expected: dict[UUID, list[str]] = defaultdict(list)
    everywhere = audiences(cast)
    for first in range(0, EVENTS, 4):
        with batch():
            for number in range(first, first + 4):
                to, people = everywhere[number % len(everywhere)]
                publish(run_event(str(number)), to)
                for person in people:
                    expected[person.user.id].append(str(number))
    for tenant_id in (cast.tenant.id, cast.other_tenant.id):
        publish(run_event(END), Audience(tenant_id, permission="workflows:read"))
    return expected


async def told(socket: Socket) -> list[str]:
    """The runs of everything until the end."""
    found: list[str] = []
    while not found or found[-1] != END:
        message = await socket.hear(30)
        assert message["type"] == "event", message
        found.append(message["event"]["runId"])
    return found[:-1]


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
async def test_each_client_is_told_exactly_its_own_in_order(cast: Cast, server: str) -> None:
    people = [cast.ana, cast.zoe, cast.ben, cast.zoe, cast.bea, cast.zoe]
    chosen = [people[number % len(people)] for number in range(CLIENTS)]
    with atrium(server, LIMIT_EVENT_CONNECTIONS="200") as door:
        async with AsyncExitStack() as stack:
            sockets = [await stack.enter_async_context(listening(door, person.key)) for person in chosen]
            began = time.monotonic()

            listening_all = asyncio.gather(*map(told, sockets))
            expected = await in_django(happen, cast)
            heard = await listening_all

            assert time.monotonic() - began < 20
    assert heard == [expected[person.user.id] for person in chosen]
