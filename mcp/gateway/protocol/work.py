"""Waits for an answer: watches for a client that leaves, keeps quiet streams alive, and stops what is not wanted."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from gateway.protocol.exchange import ClientGone, Exchange, ended
from gateway.protocol.relay import Name, Relay

QUICK = 0.2  # seconds: answers that come sooner need no watching


class Cancelled(Exception):
    """The client took its request back; nothing is answered."""


async def settled(
    exchange: Exchange, answer: Awaitable[Any], *, relay: Relay, name: Name | None, leaving_cancels: bool
) -> Any:
    """The awaited answer. Raises ClientGone or Cancelled when nobody waits for it any more."""
    task: asyncio.Task[Any] = asyncio.ensure_future(answer)
    if name is not None:
        relay.running[name] = task
        relay.listen()  # at once: a cancellation may come to another worker while ours is still quick
    try:
        done, _ = await asyncio.wait({task}, timeout=QUICK)
        if not done:
            await _watched(exchange, task, leaving_cancels)
        if task.cancelled():
            raise Cancelled
        return task.result()
    except asyncio.CancelledError:
        await ended(task)
        raise
    finally:
        if name is not None and relay.running.get(name) is task:  # not one that came later under the same name
            del relay.running[name]


async def _watched(exchange: Exchange, task: "asyncio.Task[Any]", leaving_cancels: bool) -> None:
    gone, alive = asyncio.create_task(exchange.gone()), asyncio.create_task(exchange.keep_alive())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            if leaving_cancels:
                await ended(task)
                raise ClientGone
            await asyncio.wait({task})
    finally:
        gone.cancel()
        alive.cancel()
        await asyncio.gather(gone, alive, return_exceptions=True)
