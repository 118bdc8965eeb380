"""Whether Valkey is within reach, remembered, so that a call does not wait for a deadline that just passed."""

import logging
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import redis

from ground import valkey
from ground.errors import Unavailable

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

PAUSE = 1.0  # seconds without an attempt after one that failed


class Reach:
    """While Valkey is away one caller a second tries it; the others go on without."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next_try: float | None = None  # None: within reach

    @property
    def is_away(self) -> bool:
        """Whether Valkey did not answer the last time."""
        return self._next_try is not None

    def may_try(self) -> bool:
        """Whether this caller should ask Valkey."""
        if self._next_try is None:
            return True
        with self._lock:
            now = time.monotonic()
            if self._next_try is not None and now < self._next_try:
                return False
            self._next_try = now + PAUSE
            return True

    def _lost(self, failure: redis.RedisError) -> None:
        """Valkey did not answer, or refused the command."""
        with self._lock:
            if self._next_try is None:
                logger.warning("Valkey is away (%s): limits are kept by each process alone.", type(failure).__name__)
            self._next_try = time.monotonic() + PAUSE

    def _found(self) -> None:
        """Valkey answered."""
        with self._lock:
            if self._next_try is not None:
                logger.warning("Valkey is back: limits are shared again.")
            self._next_try = None

    def asked(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Valkey's answer to `question`; None when it is away."""
        if not self.may_try():
            return None
        try:
            answer = question(*args, **kwargs)
        except redis.RedisError as failure:
            self._lost(failure)
            return None
        if self._next_try is not None:
            self._found()
        return answer

    def demand(self) -> None:
        """Raise Unavailable unless Valkey answers; for callers that may not go on without it."""
        if self.asked(valkey.client().ping) is None:
            raise away()


def away() -> Unavailable:
    """What a router key hears: it opens every tool, so it is not served without its limits."""
    sentence = "Router keys are not served while the limits are out of reach; try again in a moment."
    return Unavailable(sentence, retry_after=PAUSE * 2)


reach = Reach()
