"""Clients that drop their calls: the database connections of a server stay as many as its pool may hold."""

import asyncio
from typing import Any

import httpx2
import psutil
import pytest
from django.db import connection

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import modern, modern_headers
from tests.gateway.servers import atrium, process_of

POOL = 4
ALL, DROPPED = 500, 100


def connections_of(process: psutil.Process) -> int:
    """What pg_stat_activity counts for the ports of this process."""
    ports = [line.laddr.port for line in process.net_connections("tcp") if line.status == psutil.CONN_ESTABLISHED]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE client_port = ANY(%s)", [ports])
        return int(cursor.fetchone()[0])


async def requests(door: Door, key: str, numbers: range) -> list[int]:
    """Calls, 20 at a time; every fifth client closes its connection while its call is worked on."""
    places = asyncio.Semaphore(20)
    body: Any = modern("tools/call", {"name": "agent_list"})
    headers = modern_headers(key, "tools/call", {"Mcp-Name": "agent_list"})

    async def one(number: int) -> int:
        async with places, httpx2.AsyncClient(trust_env=False, timeout=30) as http:
            call = asyncio.ensure_future(http.post(door.url, json=body, headers=headers))
            if number % (ALL // DROPPED) == 0:
                await asyncio.sleep(0.001 * (number % 23))
                call.cancel()
            try:
                return int((await call).status_code)
            except asyncio.CancelledError:
                return 0

    return await asyncio.gather(*(one(number) for number in numbers))


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_dropped_calls_leave_no_connection_behind(cast: Cast, server: str) -> None:
    key = cast.ben.issue(["*"], calls_per_minute=100_000, burst=10_000, concurrent_calls=100)
    with atrium(server, DATABASE_POOL=str(POOL)) as door:
        process = process_of(door)
        counts, statuses = [], []
        for start in range(0, ALL, 100):
            statuses += asyncio.run(requests(door, key, range(start, start + 100)))
            counts.append(connections_of(process))

        assert door.call(key, "whoami").status == 200

    assert len(statuses) == ALL
    assert set(statuses) <= {0, 200}
    assert statuses.count(0) > DROPPED / 2
    assert min(counts) >= 1
    assert max(counts) <= POOL
    assert counts[-1] <= counts[0] + 1
