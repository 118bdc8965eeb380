"""Identifiers that sort by time (RFC 9562, version 7), so that no sequence moves and indexes stay dense."""

import os
import threading
import time
from uuid import UUID

_lock = threading.Lock()
_last = 0


def uuid7() -> UUID:
    """A new UUID of version 7; rising within a process even inside one millisecond."""
    global _last
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    stamp = milliseconds << 12 | rest * 4096 // 1_000_000
    with _lock:
        _last = stamp = max(stamp, _last + 1)
    milliseconds, sequence = stamp >> 12, stamp & 0xFFF
    tail = int.from_bytes(os.urandom(8)) & (1 << 62) - 1
    return UUID(int=(milliseconds & (1 << 48) - 1) << 80 | 0x7 << 76 | sequence << 64 | 0b10 << 62 | tail)
