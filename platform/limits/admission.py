"""The gate that every call passes: a token and a slot of the credential, or a refusal that says when to come back."""

import math
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self
from uuid import UUID

import redis
from django.conf import settings

from ground.errors import RateLimited
from ground.invalidation import listener
from identity.principal import Credential
from limits import bucket
from limits.local import LocalBuckets, LocalSlots
from limits.reach import away, reach
from limits.terms import Standing, Terms, Verdict, terms_of

GRACE = 15.0  # seconds that a slot outlives the longest call; then its holder must be dead

_calls, _slots, _lists = LocalBuckets(), LocalSlots(), LocalBuckets()
_owed: deque[tuple[str, bytes]] = deque(maxlen=10_000)


class Admission:
    """A call that may run; `release` ends it, once. `reset`: seconds until the bucket is full again."""

    __slots__ = ("_leave", "limit", "remaining", "reset")

    def __init__(self, terms: Terms, standing: Standing, leave: Callable[[], None]) -> None:
        self.limit, self.remaining, self.reset = terms.per_minute, standing.remaining, standing.reset / 1_000_000
        self._leave: Callable[[], None] | None = leave

    def release(self) -> None:
        """Give the slot back; a second time does nothing."""
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, at: TracebackType | None
    ) -> None:
        self.release()


def admit(credential: Credential, tenant_id: UUID) -> Admission:
    """One call of this credential begins; release the admission when it ends.

    Raises RateLimited. Without Valkey every process keeps the same numbers alone, and router keys get Unavailable.
    """
    terms, name = terms_of(credential), f"{tenant_id}:{credential.kind}:{credential.id}"
    slot = os.urandom(9)
    standing = reach.asked(_enter, name, terms, slot)
    if standing is not None:
        if _owed:
            _pay()
        return _admission(terms, standing, lambda: _leave(name, slot))
    if credential.router:
        raise away()
    return _admission(terms, _enter_locally(name, terms), lambda: _slots.leave(name))


def admit_list(credential: Credential) -> None:
    """One listing of this credential: counted in this process alone, without the network. Raises RateLimited."""
    if credential.router and (reach.is_away or not listener.is_up):
        reach.demand()
    per_minute = settings.LIMIT_LISTS_PER_MINUTE
    terms = Terms(per_minute, per_minute)
    standing = _lists.spend((credential.kind, credential.id), terms)
    if standing[0]:
        raise _refusal(terms, standing, "lists")


def _enter(name: str, terms: Terms, slot: bytes) -> Standing:
    try:
        return bucket.enter(name, terms, slot, settings.LIMIT_CALL_SECONDS + GRACE)
    except redis.RedisError:
        _owed.append((name, slot))  # Valkey may have given the slot although its answer never came
        raise


def _enter_locally(name: str, terms: Terms) -> Standing:
    standing = _calls.spend(name, terms)
    if standing.verdict == Verdict.ADMITTED and not _slots.enter(name, terms.concurrent):
        _calls.give_back(name, terms)
        return Standing(Verdict.BUSY, standing.remaining + 1, standing.reset - terms.interval, 1_000_000)
    return standing


def _leave(name: str, slot: bytes) -> None:
    if not reach.asked(bucket.leave, name, slot):
        _owed.append((name, slot))


def _pay() -> None:
    """Give back what could not be given back while Valkey was away; else it would be held until its lease ends."""
    for _ in range(len(_owed)):
        with suppress(IndexError):  # another thread pays too
            _leave(*_owed.popleft())


def _admission(terms: Terms, standing: Standing, leave: Callable[[], None]) -> Admission:
    if standing.verdict == Verdict.ADMITTED:
        return Admission(terms, standing, leave)
    raise _refusal(terms, standing, "calls")


def _refusal(terms: Terms, standing: Standing, what: str) -> RateLimited:
    wait = max(1, math.ceil(standing.retry_after / 1_000_000))
    if standing.verdict == Verdict.BUSY:
        sentence = f"This credential already has {terms.concurrent} calls running; try again when one of them ends."
    else:
        sentence = (
            f"Too many {what}: this credential may make {terms.per_minute} a minute; try again in {wait} seconds."
        )
    return RateLimited(
        sentence,
        wait,
        limit=terms.per_minute,
        remaining=standing.remaining,
        reset=standing.reset / 1_000_000,
    )
