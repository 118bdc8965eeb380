"""SQL statements of one warm list and one warm call, counted in every thread."""

import asyncio

from tests.bench.load import request_of
from tests.cast import make_cast
from tests.queries import counted_queries

REACH = {"tools/list": 0, "tools/call agent_list": 2}


def run() -> bool:
    """Count, print, and say whether both stay within reach."""
    from tests.asgi_client import post
    from tests.bench.door import make_agents

    cast = make_cast()
    make_agents(cast)
    headers = cast.ben.headers
    requests = {
        "tools/list": request_of("tools/list"),
        "tools/call agent_list": request_of("tools/call", name="agent_list", arguments={}),
    }

    async def count(what: str) -> int:
        sent, body = requests[what]
        for _ in range(3):
            answer = await post("/api/mcp", {**sent, **headers}, body.encode())
            if answer.status != 200:
                raise RuntimeError(f"{what} answered {answer.status}: {answer.body[:300]!r}")
        with counted_queries() as seen:
            await post("/api/mcp", {**sent, **headers}, body.encode())
        return len(seen)

    async def count_all() -> dict[str, int]:
        return {what: await count(what) for what in requests}

    found = asyncio.run(count_all())
    print("\nSQL statements of a warm request")
    for what, number in found.items():
        print(f"{what:24} {number}  (at most {REACH[what]})")
    return all(number <= REACH[what] for what, number in found.items())
