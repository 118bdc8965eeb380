"""Counts refused calls that would flood the audit: one entry a minute for equal ones, however many there were."""

import atexit
import hashlib
import json
import logging
import threading
from collections import Counter
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from ground import valkey
from receipts.models import AuditEntry

logger = logging.getLogger(__name__)

DELAY = 1.0  # seconds between a refusal and its count on Valkey
MOST = 10_000  # kinds of refusals a minute; what is beyond is one kind, without names
KEPT = 7 * 24 * 3600  # seconds that counts wait for a worker that writes them down

MINUTES = "atrium:refusals"  # the set of minutes with counts

# KEYS: the set of minutes. ARGV: most kinds, seconds kept, the nameless kind, then kind and count in turn.
ADD = """
local minute = math.floor(redis.call('TIME')[1] / 60)
local counts = KEYS[1] .. ':' .. minute
for i = 4, #ARGV, 2 do
  local kind = ARGV[i]
  if redis.call('HLEN', counts) >= tonumber(ARGV[1]) and redis.call('HEXISTS', counts, kind) == 0 then
    kind = ARGV[3]
  end
  redis.call('HINCRBY', counts, kind, ARGV[i + 1])
end
redis.call('EXPIRE', counts, ARGV[2])
redis.call('SADD', KEYS[1], minute)
return minute
"""


def count(who: dict[str, Any], *, door: str, operation: str, status: int, address: str) -> None:
    """One more of these; written down after the minute has passed. Costs the caller no network."""
    kind = {
        **{name: str(value) for name, value in who.items()},
        "door": door,
        "operation": operation,
        "status": status,
        "object_type": "address" if address else "",
        "object_id": address,
    }
    tally.add(json.dumps(kind, sort_keys=True))


class Tally:
    """Counts of this process on their way to Valkey, once a second while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._timer: threading.Timer | None = None

    def add(self, kind: str) -> None:
        """Count one."""
        with self._lock:
            self._counts[kind if kind in self._counts or len(self._counts) < MOST else NAMELESS] += 1
            self._schedule()

    def flush(self) -> None:
        """Send what is counted; it is kept when Valkey is away."""
        with self._lock:
            counts, self._counts, self._timer = self._counts, Counter(), None
        if not counts:
            return
        words = [word for kind, number in counts.items() for word in (kind, number)]
        try:
            valkey.client().eval(ADD, 1, MINUTES, MOST, KEPT, NAMELESS, *words)
        except valkey.Away:
            with self._lock:
                self._counts.update(counts)
                self._schedule()

    def _schedule(self) -> None:
        if self._timer is None or not self._timer.is_alive():  # not alive: we are a forked child
            self._timer = threading.Timer(DELAY, self.flush)
            self._timer.daemon = True
            self._timer.start()


NAMELESS = json.dumps({"door": "http", "operation": "various", "status": 429}, sort_keys=True)

tally = Tally()
atexit.register(tally.flush)


def write_down() -> int:
    """Make entries of the minutes that have passed; returns how many. Twice the same minute makes no second entry."""
    client = valkey.client()
    present = int(client.time()[0]) // 60
    written = 0
    for minute in sorted(int(member) for member in client.smembers(MINUTES)):
        if minute < present:
            counts = client.hgetall(f"{MINUTES}:{minute}")
            entries = [_entry(minute, kind, int(number)) for kind, number in counts.items()]
            written += len(AuditEntry.objects.bulk_create(entries, batch_size=1000, ignore_conflicts=True))
            client.delete(f"{MINUTES}:{minute}")
            client.srem(MINUTES, minute)
    return written


def _entry(minute: int, kind: bytes | str, number: int) -> AuditEntry:
    at = datetime.fromtimestamp(minute * 60, UTC)
    return AuditEntry(id=_id(minute, kind), at=at, outcome="refused", attempts=number, **json.loads(kind))


def _id(minute: int, kind: bytes | str) -> UUID:
    """The same for the same minute and kind; it sorts by time, as all our ids do."""
    tail = int.from_bytes(hashlib.sha256(f"{minute} {kind!r}".encode()).digest()[:10])
    milliseconds = minute * 60_000
    return UUID(int=milliseconds << 80 | 0x7 << 76 | (tail >> 62 & 0xFFF) << 64 | 0b10 << 62 | tail & (1 << 62) - 1)
