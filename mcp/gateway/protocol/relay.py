"""Finds, on whatever worker it runs, the request that a cancellation or a client's answer is for."""

import asyncio
import logging
from contextlib import suppress
from typing import Any

import orjson

from gateway.protocol.envelope import RequestId
from ground import valkey

logger = logging.getLogger(__name__)

CHANNEL = "mcp:relay"
RECONNECT = 1.0  # seconds

Name = tuple[str, RequestId]


class Relay:
    """What runs here, and the word passed to the other workers for what does not."""

    def __init__(self) -> None:
        self.running: dict[Name, asyncio.Task[Any]] = {}
        self.asked: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._client: Any = None
        self._listening: asyncio.Task[None] | None = None

    async def cancel(self, name: Name) -> None:
        """Stop a running request, wherever it runs; one that has ended is left alone."""
        if not self._cancelled(name):
            await self._tell({"cancel": list(name)})

    async def answer(self, ask_id: str, message: dict[str, Any]) -> None:
        """Hand a client's answer to whoever waits for it."""
        if not self._answered(ask_id, message):
            await self._tell({"answer": ask_id, "message": message})

    def listen(self) -> None:
        """Hear what other workers receive for us; called before something long is waited for."""
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._hear())

    def _cancelled(self, name: Name) -> bool:
        task = self.running.get(name)
        return task is not None and task.cancel()

    def _answered(self, ask_id: str, message: dict[str, Any]) -> bool:
        future = self.asked.get(ask_id)
        if future is None or future.done():
            return False
        future.set_result(message)
        return True

    async def _tell(self, said: dict[str, Any]) -> None:
        if self._client is None:
            self._client = valkey.async_client()
        with suppress(*valkey.Away):
            await self._client.publish(CHANNEL, orjson.dumps(said))

    async def _hear(self) -> None:
        while True:
            try:
                await self._subscribed()
            except (*valkey.Away, OSError):
                logger.warning("Cancellations from other workers are not heard: Valkey is away.")
            await asyncio.sleep(RECONNECT)

    async def _subscribed(self) -> None:
        client = valkey.async_client(patient=True)
        subscription = client.pubsub(ignore_subscribe_messages=True)
        try:
            await subscription.subscribe(CHANNEL)
            while True:
                message = await subscription.get_message(timeout=None)
                if message is not None:
                    self._deliver(orjson.loads(message["data"]))
        finally:
            await subscription.aclose()  # type: ignore[no-untyped-call]
            await client.aclose()

    def _deliver(self, said: dict[str, Any]) -> None:
        if "cancel" in said:
            name, request_id = said["cancel"]
            self._cancelled((name, request_id))
        elif "answer" in said:
            self._answered(said["answer"], said["message"])
