"""The same buckets and slots inside one process: for lists, and for calls while Valkey is away."""

import threading
import time
from collections import Counter
from collections.abc import Hashable

from limits.terms import Standing, Terms, Verdict

SIZE = 10_000  # buckets; the full ones are forgotten beyond, and all when none is full


class LocalBuckets:
    """Buckets by key; each is one number, as on Valkey: when it will be full again, in microseconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._full: dict[Hashable, int] = {}

    def spend(self, key: Hashable, terms: Terms) -> Standing:
        """Take one token."""
        with self._lock:
            waits, interval = self._waits(key), terms.interval
            left = terms.burst + -waits // interval  # as Terms.standing, inlined: lists come in thousands a second
            if left < 1:
                return terms.standing(waits)
            self._full[key] = _now() + waits + interval
            if len(self._full) > SIZE:
                self._forget()
        return Standing(Verdict.ADMITTED, left - 1, waits + interval, 0)

    def look(self, key: Hashable, terms: Terms) -> Standing:
        """How the bucket stands, without taking anything."""
        return terms.standing(self._waits(key))

    def give_back(self, key: Hashable, terms: Terms) -> None:
        """Undo one `spend`: the call found no slot."""
        with self._lock:
            if key in self._full:
                self._full[key] -= terms.interval

    def _waits(self, key: Hashable) -> int:
        return max(0, self._full.get(key, 0) - _now())

    def _forget(self) -> None:
        now = _now()
        self._full = {key: full for key, full in self._full.items() if full > now}
        if len(self._full) > SIZE:
            self._full.clear()


def _now() -> int:
    return time.monotonic_ns() // 1000


class LocalSlots:
    """How many calls of a key run in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: Counter[Hashable] = Counter()

    def enter(self, key: Hashable, most: int) -> bool:
        """Take a slot; False when all are taken."""
        with self._lock:
            if self._held[key] >= most:
                return False
            self._held[key] += 1
            return True

    def leave(self, key: Hashable) -> None:
        """Give a slot back."""
        with self._lock:
            self._held[key] -= 1
            if self._held[key] <= 0:
                del self._held[key]
