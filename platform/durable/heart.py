"""The heartbeats of what this process holds: leases are lengthened together, and who lost a run hears of it."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import Error as DatabaseFailure
from psycopg_pool import PoolTimeout

from durable.ledger import Hold, Ledger
from ground.bridge import in_reserved, on_background

logger = logging.getLogger(__name__)

Told = Callable[[str | None], None]


class Heart:
    """Beats while anything is held. `told` hears what is asked of a run (a word), or None when it is lost."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._held: dict[Hold, Told] = {}
        self._pid = 0

    @contextmanager
    def beating(self, hold: Hold, told: Told) -> Iterator[None]:
        """Keep the lease for the duration of the block."""
        with self._lock:
            if self._pid != os.getpid():
                self._pid, self._held = os.getpid(), {}
                on_background(self._beat())
            self._held[hold] = told
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(hold, None)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(settings.RUN_LEASE_SECONDS / 4)
            if held := self._snapshot():
                try:
                    await in_reserved(self._renew, held)
                except (DatabaseFailure, PoolTimeout):
                    logger.warning("The leases of %d runs could not be renewed; trying again.", len(held))

    def _snapshot(self) -> dict[Hold, Told]:
        with self._lock:
            return dict(self._held)

    def _renew(self, held: dict[Hold, Told]) -> None:
        kept = self._ledger.renew(held)
        for hold, told in held.items():
            asked = kept.get(hold.run_id)
            if asked is None or asked:
                told(asked)
