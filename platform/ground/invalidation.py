"""Caches in the process, and the word that clears them everywhere: a change is felt within a second on every worker."""

import json
import logging
import os
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from uuid import UUID
from weakref import WeakSet

import redis
from django.conf import settings
from django.db import transaction
from redis.backoff import NoBackoff
from redis.retry import Retry

from ground import valkey

logger = logging.getLogger(__name__)

CHANNEL = "atrium:invalidate"
FRESH_SECONDS = 5.0
DOUBTFUL_SECONDS = 1.0  # while nobody tells us of changes
PULSE_SECONDS, SILENCE_SECONDS = 0.4, 1.0  # how often we ask whether the other side is there, and when it is not

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ProcessCache(Generic[K, V]):
    """Values of a topic, kept for five seconds at most and dropped when it (or one of `also`) is announced.

    A value read before an announcement and stored after it is refused, so that a slow read never outlives a change.
    """

    def __init__(self, topic: str, size: int = 4096, *, also: tuple[str, ...] = ()) -> None:
        self.size = size
        self._kept: dict[K, tuple[float, str | None, V]] = {}
        self._cleared = 0
        for heard in (topic, *also):
            _caches[heard].add(self)

    def get(self, key: K) -> V | None:
        """The kept value, or None when there is none or it is too old."""
        kept = self._kept.get(key)
        if kept is None or time.monotonic() - kept[0] > listener.patience:
            return None
        return kept[2]

    def load(self, key: K, loader: Callable[[], V], tenant_of: Callable[[V], UUID | None]) -> V:
        """The kept value, or what `loader` returns, kept under the tenant that `tenant_of` names."""
        if (kept := self.get(key)) is not None:
            return kept
        listener.listen()
        cleared, asked_at = self._cleared, time.monotonic()
        value = loader()
        # What a transaction reads may be rolled back; only committed facts are kept.
        if cleared == self._cleared and not transaction.get_connection().in_atomic_block:
            tenant_id = tenant_of(value)
            if len(self._kept) >= self.size:
                self._kept.clear()
            self._kept[key] = (asked_at, str(tenant_id) if tenant_id else None, value)
        return value

    def clear(self, tenant_id: str | None = None) -> None:
        """Drop everything, or what is kept for one tenant."""
        self._cleared += 1
        if tenant_id is None:
            self._kept.clear()
            return
        for key in [key for key, (_, tenant, _) in list(self._kept.items()) if tenant in (tenant_id, None)]:
            self._kept.pop(key, None)


_caches: dict[str, "WeakSet[ProcessCache[Any, Any]]"] = defaultdict(WeakSet)


def _clear(topic: str, tenant_id: str | None) -> None:
    for cache in list(_caches[topic]):
        cache.clear(tenant_id)


_nonce = secrets.token_hex(8)


def _speaker() -> str:
    """This process, also when it was forked from another."""
    return f"{_nonce}.{os.getpid()}"


def announce(topic: str, tenant_id: UUID | None = None) -> None:
    """Tell every process, once the running transaction is committed, that the topic changed (for one tenant)."""
    tenant = str(tenant_id) if tenant_id else None

    def tell() -> None:
        _clear(topic, tenant)
        try:
            valkey.client().publish(CHANNEL, json.dumps([topic, tenant, _speaker()]))
        except valkey.Away:
            logger.warning("Invalidation of %s was not sent: Valkey is away; others notice within a second.", topic)

    _clear(topic, tenant)  # the transaction itself must see its own change
    transaction.on_commit(tell, robust=True)


class _Listener:
    """The subscription of this process: one thread that blocks on its socket."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self.is_up = False

    @property
    def patience(self) -> float:
        """How old an entry may be, in seconds."""
        return FRESH_SECONDS if self.is_up and self._pid == os.getpid() else DOUBTFUL_SECONDS

    def listen(self) -> None:
        """Start listening, once per process."""
        if self._pid == os.getpid():
            return
        with self._lock:
            if self._pid != os.getpid():
                self._pid, self.is_up = os.getpid(), False
                threading.Thread(target=self._run, name="invalidations", daemon=True).start()

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            try:
                self._hear()
            except (*valkey.Away, OSError, ValueError):
                pass
            self.is_up = False
            pause.wait(0.5)  # between two attempts to connect

    def _hear(self) -> None:
        """Listen until the connection ends, or the other side has nothing to say to a ping."""
        # No retries: a connection that is lost means doubt at once, not after some attempts to renew it.
        connection = redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=None, retry=Retry(NoBackoff(), 0)
        )
        subscription = connection.pubsub()  # type: ignore[no-untyped-call]
        try:
            subscription.subscribe(CHANNEL)
            heard_at = time.monotonic()
            while time.monotonic() - heard_at < SILENCE_SECONDS:
                if (message := subscription.get_message(timeout=PULSE_SECONDS)) is None:
                    subscription.ping()
                else:
                    heard_at = time.monotonic()
                    self._take(message)
        finally:
            self.is_up = False
            subscription.close()
            connection.close()

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            for topic in list(_caches):
                _clear(topic, None)  # whatever was said while we were away
            self.is_up = True
        elif message["type"] == "message":
            topic, tenant_id, speaker = json.loads(message["data"])
            if speaker != _speaker():  # our own word was heeded when it was said; its echo would clear what is fresh
                _clear(topic, tenant_id)


listener = _Listener()
