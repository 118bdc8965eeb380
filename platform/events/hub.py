"""One subscription a process: what other processes publish reaches the listeners of this one."""

import asyncio
import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Protocol
from uuid import UUID

import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from events.entries import PREFIX, Entry, heard, name_of
from ground import valkey
from ground.bridge import on_background

logger = logging.getLogger(__name__)

PULSE_SECONDS, SILENCE_SECONDS = 0.4, 1.0  # how often we ask whether Valkey is there, and when it is not
PAUSE_SECONDS = 0.5  # between two attempts to connect
LINGER_SECONDS = 10.0  # a tenant stays subscribed this long after its last listener left
_BASE = f"{PREFIX}pulse"  # a channel that nobody speaks on: its confirmation says that we are connected

Loop = asyncio.AbstractEventLoop


class Listener(Protocol):
    """Is called in the event loop in which it began to listen."""

    def hear(self, entries: Sequence[Entry]) -> None:
        """These happened."""

    def connected(self, is_connected: bool) -> None:
        """From now on everything is heard, and what was missed stands in the log; or nothing is heard any more."""


class _Channel:
    """The listeners of one tenant, by their event loops."""

    def __init__(self) -> None:
        self.listeners: dict[Loop, set[Listener]] = defaultdict(set)
        self.is_confirmed = False
        self.left_at = 0.0

    def is_wanted(self, now: float) -> bool:
        return bool(self.listeners) or now - self.left_at < LINGER_SECONDS


class Hub:
    """Of one process; its own work happens on the background loop."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.is_up = False
        self._lock = threading.Lock()
        self._channels: dict[UUID, _Channel] = {}
        self._is_started = False
        self._subscription: Any = None
        self._asked: set[UUID] = set()
        self._speaking = asyncio.Lock()  # what is asked for and what is sent have one order

    @contextmanager
    def listening(self, tenant_id: UUID, listener: Listener) -> Iterator[None]:
        """Call the listener of what happens in the tenant, in the running event loop, until the block is left."""
        loop = asyncio.get_running_loop()
        with self._lock:
            channel = self._channels.setdefault(tenant_id, _Channel())
            channel.listeners[loop].add(listener)
            is_confirmed, is_started, self._is_started = channel.is_confirmed, self._is_started, True
        if not is_started:
            on_background(self._run())
        elif not is_confirmed:
            on_background(self._subscribe())
        if is_confirmed:
            listener.connected(True)
        try:
            yield
        finally:
            with self._lock:
                channel.listeners[loop].discard(listener)
                if not channel.listeners[loop]:
                    del channel.listeners[loop]
                channel.left_at = time.monotonic()

    async def _run(self) -> None:
        while True:
            try:
                await self._hear()
            except (*valkey.Away, OSError, RuntimeError):
                logger.debug("The subscription to events ended.", exc_info=True)
            except Exception:
                logger.exception("The subscription to events failed.")
            if not self._goes_on():
                return
            await asyncio.sleep(PAUSE_SECONDS)  # before the next attempt to connect

    def _goes_on(self) -> bool:
        """Whether anybody listens; without, the next one who does starts again."""
        with self._lock:
            self._channels = {tenant_id: channel for tenant_id, channel in self._channels.items() if channel.listeners}
            self._is_started = bool(self._channels)
            return self._is_started

    async def _hear(self) -> None:
        """Until nobody listens, the connection ends, or the other side has nothing to say to a ping."""
        # No retries: a renewed connection has a gap, of which the listeners must be told.
        connection = redis.asyncio.Redis.from_url(
            self._url, socket_connect_timeout=1, socket_timeout=None, retry=Retry(NoBackoff(), 0)
        )
        subscription: Any = connection.pubsub()
        try:
            await subscription.subscribe(_BASE)
            self._subscription, self._asked = subscription, set()
            await self._subscribe()
            heard_at = time.monotonic()
            while self._channels and time.monotonic() - heard_at < SILENCE_SECONDS:
                if (message := await subscription.get_message(timeout=PULSE_SECONDS)) is None:
                    await subscription.ping()
                    await self._unsubscribe()
                else:
                    heard_at = time.monotonic()
                    self._take(message)
        finally:
            self._subscription = None
            self._lost()
            await subscription.aclose()
            await connection.aclose()

    async def _subscribe(self) -> None:
        """Ask for the tenants that have listeners and were not asked for."""
        async with self._speaking:
            if self._subscription is None:
                return  # all are asked for when it is there
            with self._lock:
                wanted = self._channels.keys() - self._asked
            self._asked |= wanted
            if wanted:
                await self._subscription.subscribe(*map(name_of, wanted))

    async def _unsubscribe(self) -> None:
        """Leave the tenants that had no listeners for a while."""
        now = time.monotonic()
        async with self._speaking:
            with self._lock:
                left = [tenant_id for tenant_id, channel in self._channels.items() if not channel.is_wanted(now)]
                for tenant_id in left:
                    del self._channels[tenant_id]
            self._asked.difference_update(left)
            if left:
                await self._subscription.unsubscribe(*map(name_of, left))

    def _take(self, message: dict[str, Any]) -> None:
        name = (message["channel"] or b"").decode()
        if message["type"] == "subscribe" and name == _BASE:
            self.is_up = True
        elif message["type"] == "subscribe":
            self._confirm(UUID(name.removeprefix(PREFIX)))
        elif message["type"] == "message":
            tenant_id = UUID(name.removeprefix(PREFIX))
            self._tell(tenant_id, list(heard(tenant_id, message["data"])))

    def _confirm(self, tenant_id: UUID) -> None:
        with self._lock:
            if (channel := self._channels.get(tenant_id)) is None:
                return
            channel.is_confirmed = True
            loops = list(channel.listeners)
        for loop in loops:
            self._call(loop, channel, lambda listener: listener.connected(True))

    def _tell(self, tenant_id: UUID, entries: list[Entry]) -> None:
        with self._lock:
            if (channel := self._channels.get(tenant_id)) is None:
                return
            loops = list(channel.listeners)
        for loop in loops:
            self._call(loop, channel, lambda listener: listener.hear(entries))

    def _lost(self) -> None:
        self.is_up = False
        with self._lock:
            channels = list(self._channels.values())
            for channel in channels:
                channel.is_confirmed = False
            told = [(loop, channel) for channel in channels for loop in channel.listeners]
        for loop, channel in told:
            self._call(loop, channel, lambda listener: listener.connected(False))

    def _call(self, loop: Loop, channel: _Channel, what: Callable[[Listener], None]) -> None:
        """Call the listeners of one loop, in that loop."""
        if loop is asyncio.get_running_loop():
            _call_all(channel, loop, what)
            return
        try:
            loop.call_soon_threadsafe(_call_all, channel, loop, what)
        except RuntimeError:  # the loop is closed, and with it whoever listened there
            with self._lock:
                channel.listeners.pop(loop, None)


def _call_all(channel: _Channel, loop: Loop, what: Callable[[Listener], None]) -> None:
    # Only this loop changes this set, so that no lock is needed.
    for listener in list(channel.listeners.get(loop, ())):
        try:
            what(listener)
        except Exception:
            logger.exception("A listener to events failed.")


@lru_cache(maxsize=2)
def _of_process(pid: int, url: str) -> Hub:
    return Hub(url)


def hub() -> Hub:
    """The one of this process; a forked child gets its own."""
    return _of_process(os.getpid(), settings.REDIS_URL)
