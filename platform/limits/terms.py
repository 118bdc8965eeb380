"""The numbers of a limit, and where a caller stands against them."""

from enum import IntEnum
from typing import NamedTuple

from django.conf import settings

from identity.principal import Credential

MINUTE = 60_000_000  # microseconds: whole numbers keep the count exact


class Verdict(IntEnum):
    """The answer of a bucket."""

    ADMITTED = 0
    TOO_MANY = 1
    BUSY = 2  # a token was left, but no slot


class Standing(NamedTuple):
    """`remaining` tokens; in microseconds: `reset` until the bucket is full, `retry_after` until a token is back."""

    verdict: int
    remaining: int
    reset: int
    retry_after: int


class Terms(NamedTuple):
    """So many a minute in the long run, `burst` at once, `concurrent` at the same time."""

    per_minute: int
    burst: int
    concurrent: int = 0

    @property
    def interval(self) -> int:
        """Microseconds until a spent token is back; rounded up, so that a minute never gives one too many."""
        return -(-MINUTE // self.per_minute)

    def standing(self, waits: int) -> Standing:
        """Where a bucket stands that will be full in `waits` microseconds."""
        left = self.burst + -waits // self.interval
        if left < 1:
            return Standing(Verdict.TOO_MANY, 0, waits, waits - (self.burst - 1) * self.interval)
        return Standing(Verdict.ADMITTED, left, waits, 0)


def terms_of(credential: Credential) -> Terms:
    """The credential's own numbers, else the settings'. The default burst never exceeds a minute's calls."""
    per_minute = credential.calls_per_minute or settings.LIMIT_CALLS_PER_MINUTE
    return Terms(
        per_minute,
        credential.burst or min(settings.LIMIT_BURST, per_minute),
        credential.concurrent_calls or settings.LIMIT_CONCURRENT_CALLS,
    )
