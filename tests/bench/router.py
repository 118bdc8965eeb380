"""What a router key's list costs a model, beside the whole list of the same owner."""

import asyncio

from gateway.context import TOKENIZER, tokens_of
from tests.asgi_client import post
from tests.bench.load import request_of
from tests.cast import make_cast


def run() -> bool:
    """Count and print; the share falls as toolsets come."""
    cast = make_cast()
    whole, routed = (asyncio.run(_tokens(key)) for key in (cast.ana.key, cast.ana.issue(["*", "execute_tool"])))
    print(f"\nTokens of tools/list ({TOKENIZER})")
    print(f"whole list {whole}, router key {routed}: {routed / whole:.1%}")
    return routed < whole


async def _tokens(key: str) -> int:
    sent, body = request_of("tools/list")
    answer = await post("/api/mcp", {**sent, "Authorization": f"Bearer {key}"}, body.encode())
    return tokens_of(answer.body.decode())
