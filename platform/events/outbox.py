"""What this process has to tell: sent in order, in as few messages as possible, kept while Valkey is away."""

import atexit
import logging
import os
import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

import redis
from redis.commands.core import Script

from events.entries import name_of, written
from events.types import RESET
from ground import valkey

logger = logging.getLogger(__name__)

LOG_LENGTH, LOG_SECONDS = 10_000, 86_400
TOGETHER = 500  # events in one message
KEPT = 10_000  # events that wait for Valkey; beyond them listeners are told to ask again
DELAY, PAUSE = 0.02, 0.5  # seconds: of what is collected; between two attempts while Valkey is away

# Entering the log and telling it is one step, so that both have the same order. A message that is sent again, since
# its answer did not come, is not told twice: each sender's last number is remembered.
_TELL = """
if redis.call('GET', KEYS[2]) == ARGV[1] then return 0 end
local lines = {}
for i = 4, #ARGV do
  lines[#lines + 1] = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'e', ARGV[i])
  lines[#lines + 1] = ARGV[i]
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'EX', 3600)
redis.call('PUBLISH', KEYS[1], table.concat(lines, '\\n'))
return 1
"""


@dataclass(frozen=True, slots=True)
class _Message:
    number: int
    tenant_id: UUID
    bodies: list[bytes]


class Outbox:
    """Of one process. One thread at a time sends; the others leave what they have to it."""

    def __init__(self) -> None:
        self._lock, self._sending, self._asked = threading.Lock(), threading.Lock(), threading.Event()
        self._pending: deque[tuple[UUID, bytes]] = deque()
        self._message: _Message | None = None
        self._number, self._away_until = 0, 0.0
        self._sender = f"atrium:events-sender:{secrets.token_hex(8)}"
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        atexit.register(self._finish)

    def put(self, tenant_id: UUID, body: bytes) -> None:
        """Keep an event until it is sent."""
        with self._lock:
            if len(self._pending) >= KEPT:
                self._give_up()
            self._pending.append((tenant_id, body))

    def _give_up(self) -> None:
        tenants = {tenant_id for tenant_id, _ in self._pending}
        logger.warning("Events of %s tenants were dropped: Valkey is away for too long.", len(tenants))
        self._pending = deque((tenant_id, written(RESET, None)) for tenant_id in tenants)

    def send_soon(self) -> None:
        """Send what is kept in a moment, with what comes until then."""
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="events", daemon=True)
                    self._thread.start()
        self._asked.set()

    def send(self) -> None:
        """Send what is kept now; never raises, and does not wait for a Valkey that was away a moment ago."""
        while self._has_any() and self._sending.acquire(blocking=False):
            try:
                is_sent = time.monotonic() >= self._away_until and self._send_one()
            finally:
                self._sending.release()
            if not is_sent:
                self.send_soon()
                return

    def _finish(self) -> None:
        """Before the process ends: what another thread has begun to send, it may not be able to end."""
        if self._pid == os.getpid() and self._has_any() and self._sending.acquire(timeout=1):
            self._sending.release()
            self.send()

    def _has_any(self) -> bool:
        return bool(self._pending) or self._message is not None

    def _send_one(self) -> bool:
        message = self._message = self._message or self._next()
        if message is None:
            return True
        try:
            arguments: list[bytes | int] = [message.number, LOG_LENGTH, LOG_SECONDS, *message.bodies]
            _script(valkey.client())(keys=[name_of(message.tenant_id), self._sender], args=arguments)
        except redis.RedisError as failure:
            if not self._away_until:
                logger.warning("Events wait to be sent: Valkey is away (%s).", type(failure).__name__)
            self._away_until = time.monotonic() + PAUSE
            return False
        self._message, self._away_until = None, 0.0
        return True

    def _next(self) -> _Message | None:
        with self._lock:
            if not self._pending:
                return None
            tenant_id = self._pending[0][0]
            bodies: list[bytes] = []
            while self._pending and self._pending[0][0] == tenant_id and len(bodies) < TOGETHER:
                bodies.append(self._pending.popleft()[1])
            self._number += 1
            return _Message(self._number, tenant_id, bodies)

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            self._asked.wait()
            pause.wait(PAUSE if self._away_until else DELAY)
            self._asked.clear()
            self.send()


@lru_cache(maxsize=4)
def _script(client: redis.Redis) -> Script:
    return client.register_script(_TELL)


@lru_cache(maxsize=2)
def _of_process(pid: int) -> Outbox:
    return Outbox()


def outbox() -> Outbox:
    """The one of this process; a forked child gets its own."""
    return _of_process(os.getpid())
