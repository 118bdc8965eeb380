"""Listings are counted in the process."""

from collections.abc import Callable

import pytest
from pytest_django import Settings

from ground.errors import RateLimited
from identity.principal import Credential
from limits.admission import admit_list
from limits.local import SIZE, LocalBuckets
from limits.terms import Terms

Make = Callable[..., Credential]


def test_a_minutes_lists_are_admitted_and_the_next_is_refused(credential: Make, settings: Settings) -> None:
    settings.LIMIT_LISTS_PER_MINUTE = 5
    key, other = credential(), credential()

    for _ in range(5):
        admit_list(key)

    with pytest.raises(RateLimited) as refused:
        admit_list(key)
    admit_list(other)
    assert refused.value.sentence == "Too many lists: this credential may make 5 a minute; try again in 12 seconds."
    assert (refused.value.retry_after, refused.value.limit, refused.value.remaining) == (12, 5, 0)


def test_a_router_key_lists_while_valkey_answers(credential: Make) -> None:
    admit_list(credential(router=True))


def test_buckets_of_callers_who_left_are_forgotten() -> None:
    buckets, terms = LocalBuckets(), Terms(per_minute=60_000_000, burst=1)
    for number in range(SIZE * 2):
        buckets.spend(number, terms)

    assert len(buckets._full) <= SIZE
