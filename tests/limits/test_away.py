"""Calls while Valkey is away, and after it is back."""

import time
from collections.abc import Callable

import pytest

from ground.errors import RateLimited, Unavailable
from identity.principal import Credential
from limits.admission import admit, admit_list
from tests.limits.conftest import TENANT, enters, eventually, is_back
from tests.limits.servers import OwnValkey

Make = Callable[..., Credential]


def test_calls_go_on_under_a_local_cap_of_the_same_numbers(credential: Make, own_valkey: OwnValkey) -> None:
    key = credential(calls_per_minute=6, burst=3)
    admit(key, TENANT)
    own_valkey.kill()

    remaining = [admit(key, TENANT).remaining for _ in range(3)]

    assert remaining == [2, 1, 0]
    with pytest.raises(RateLimited) as refused:
        admit(key, TENANT)
    assert (refused.value.limit, refused.value.remaining, refused.value.retry_after) == (6, 0, 10)


def test_slots_are_counted_while_it_is_away(credential: Make, own_valkey: OwnValkey) -> None:
    key = credential(burst=10, concurrent_calls=2)
    own_valkey.kill()
    first, _second = admit(key, TENANT), admit(key, TENANT)

    with pytest.raises(RateLimited, match="already has 2 calls running") as refused:
        admit(key, TENANT)
    first.release()

    assert refused.value.remaining == 8
    assert admit(key, TENANT).remaining == 7


def test_router_keys_are_refused_with_a_time_to_come_back(credential: Make, own_valkey: OwnValkey) -> None:
    key = credential(router=True)
    own_valkey.kill()

    with pytest.raises(Unavailable) as refused:
        admit(key, TENANT)
    with pytest.raises(Unavailable):
        admit_list(key)

    assert refused.value.sentence == (
        "Router keys are not served while the limits are out of reach; try again in a moment."
    )
    assert refused.value.retry_after == 2.0


def test_the_deadline_is_not_paid_by_every_call(credential: Make, own_valkey: OwnValkey) -> None:
    key = credential(burst=1000)
    admit(key, TENANT)
    own_valkey.freeze()
    admit(key, TENANT)  # this one waited

    began = time.perf_counter()
    for _ in range(200):
        admit(key, TENANT)
    took = time.perf_counter() - began

    own_valkey.thaw()
    assert took < 0.2


def test_the_shared_bucket_is_used_again_when_it_is_back(credential: Make, own_valkey: OwnValkey) -> None:
    key, router = credential(calls_per_minute=60, burst=1000), credential(router=True)
    own_valkey.kill()
    admit(key, TENANT)

    own_valkey.start()

    eventually(is_back)
    assert admit(key, TENANT).remaining == 999
    assert admit(router, TENANT).remaining == 29
    admit_list(router)


def test_slots_that_could_not_be_given_back_are_given_back_later(credential: Make, own_valkey: OwnValkey) -> None:
    key = credential(burst=1000, concurrent_calls=3)
    held = [admit(key, TENANT) for _ in range(3)]
    own_valkey.freeze()
    admit(credential(), TENANT)  # notices
    for admission in held:
        admission.release()
    own_valkey.thaw()

    eventually(is_back)
    admit(credential(), TENANT)  # pays what is owed

    assert [enters(key) for _ in range(3)] == [True, True, True]


def test_a_slot_whose_answer_never_came_is_given_back(credential: Make, own_valkey: OwnValkey) -> None:
    key = credential(burst=1000, concurrent_calls=1)
    admit(credential(), TENANT)  # connects
    own_valkey.freeze()
    admit(key, TENANT).release()  # Valkey reads this one when it thaws
    own_valkey.thaw()

    eventually(is_back)
    admit(credential(), TENANT)  # pays what is owed

    assert enters(key)
