"""Five hundred calls that wait for their runs slow nobody down, and hold neither threads nor connections."""

import asyncio
import time
from typing import Any

import httpx2
import pytest

from ground.bridge import in_django
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.protocol.wire import modern, modern_headers
from tests.gateway.servers import atrium, process_of
from tests.gateway.test_connections import connections_of
from workflows.models import WorkflowRun

WAITING, ASKED, POOL = 500, 200, 8
LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=None)


def call(key: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Body and headers of a call."""
    body = modern("tools/call", {"name": name, "arguments": arguments})
    return {"json": body, "headers": modern_headers(key, "tools/call", {"Mcp-Name": name})}


async def measured(door: Door, key: str, tenant_id: Any) -> list[float]:
    """How long `whoami` takes, in seconds, while the calls wait."""
    async with httpx2.AsyncClient(trust_env=False, timeout=60, limits=LIMITS) as http:
        started = call(key, "workflow_start", {"workflowId": "t-sleep-long", "inputData": {"n": 1}})
        waiting = [asyncio.ensure_future(http.post(door.url, **started)) for _ in range(WAITING)]
        await _all_wait(tenant_id)
        seconds = []
        for _ in range(ASKED):
            begun = time.perf_counter()
            answer = await http.post(door.url, **call(key, "whoami", {}))
            seconds.append(time.perf_counter() - begun)
            assert answer.status_code == 200
        assert not any(one.done() for one in waiting)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    return seconds


async def _all_wait(tenant_id: Any) -> None:
    for _ in range(300):
        if await in_django(_sleeping, tenant_id) == WAITING:
            return
        await asyncio.sleep(0.2)  # they come one after another
    raise AssertionError("Not all calls came to wait within a minute.")


def _sleeping(tenant_id: Any) -> int:
    return WorkflowRun.objects.filter(tenant_id=tenant_id, status="waiting").count()


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_whoami_is_quick_beside_five_hundred_waiting_calls(cast: Cast, server: str) -> None:
    key = cast.ben.issue(["*"], calls_per_minute=100_000, burst=10_000, concurrent_calls=2000)
    with atrium(server, WORKFLOW_MODULES="tests.workflows.flows", DATABASE_POOL=str(POOL)) as door:
        seconds = asyncio.run(measured(door, key, cast.tenant.id))
        connections = connections_of(process_of(door))

    p95 = sorted(seconds)[int(ASKED * 0.95)]
    print(f"\nwhoami beside {WAITING} waiting calls on {server}: p95 {p95 * 1000:.1f} ms, {connections} connections")
    assert p95 < 0.05
    assert connections <= POOL
    WorkflowRun.objects.filter(tenant=cast.tenant).delete()
