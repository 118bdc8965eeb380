"""A call's token and slot."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from pytest_django import Settings

from ground.errors import RateLimited
from identity.principal import API_KEY, Credential
from limits.admission import admit
from tests.limits.conftest import TENANT, enters, eventually

Make = Callable[..., Credential]


def test_the_burst_is_admitted_and_the_next_call_is_refused(credential: Make) -> None:
    key = credential(calls_per_minute=60, burst=3)

    remaining = [admit(key, TENANT).remaining for _ in range(3)]

    with pytest.raises(RateLimited) as refused:
        admit(key, TENANT)
    assert remaining == [2, 1, 0]
    assert refused.value.sentence == ("Too many calls: this credential may make 60 a minute; try again in 1 seconds.")
    assert (refused.value.limit, refused.value.remaining, refused.value.retry_after) == (60, 0, 1)
    assert 2.5 < refused.value.reset <= 3.0


def test_an_admission_tells_the_limit_and_when_the_bucket_is_full_again(credential: Make) -> None:
    admission = admit(credential(calls_per_minute=6, burst=5), TENANT)

    assert (admission.limit, admission.remaining, admission.reset) == (6, 4, 10.0)


def test_a_token_comes_back_with_time(credential: Make) -> None:
    key = credential(calls_per_minute=600, burst=1)  # one each 100 ms

    admit(key, TENANT)

    assert not enters(key)
    eventually(lambda: enters(key))


def test_the_default_burst_never_exceeds_the_calls_of_a_minute(credential: Make, settings: Settings) -> None:
    settings.LIMIT_BURST = 30
    key = credential(calls_per_minute=2)

    admit(key, TENANT)
    admit(key, TENANT)

    with pytest.raises(RateLimited):
        admit(key, TENANT)


def test_the_settings_count_for_a_credential_without_numbers(settings: Settings) -> None:
    settings.LIMIT_CALLS_PER_MINUTE, settings.LIMIT_BURST, settings.LIMIT_CONCURRENT_CALLS = 90, 4, 1
    key = Credential(API_KEY, uuid4().hex, "test")

    admission = admit(key, TENANT)

    assert (admission.limit, admission.remaining) == (90, 3)
    with pytest.raises(RateLimited) as refused:
        admit(key, TENANT)
    assert refused.value.sentence == ("This credential already has 1 calls running; try again when one of them ends.")


def test_a_released_slot_is_free_at_once(credential: Make) -> None:
    key = credential(burst=100, concurrent_calls=1)

    for _ in range(50):
        admit(key, TENANT).release()

    with admit(key, TENANT), pytest.raises(RateLimited):
        admit(key, TENANT)


def test_releasing_twice_frees_one_slot(credential: Make) -> None:
    key = credential(burst=10, concurrent_calls=2)
    first, _second = admit(key, TENANT), admit(key, TENANT)

    first.release()
    first.release()

    admit(key, TENANT)
    with pytest.raises(RateLimited):
        admit(key, TENANT)


def test_a_call_without_a_slot_pays_no_token(credential: Make) -> None:
    key = credential(burst=3, concurrent_calls=1)
    first = admit(key, TENANT)

    for _ in range(5):
        with pytest.raises(RateLimited) as refused:
            admit(key, TENANT)
        assert refused.value.remaining == 2

    first.release()
    assert admit(key, TENANT).remaining == 1


def test_a_call_without_a_token_holds_no_slot(credential: Make) -> None:
    key = credential(calls_per_minute=600, burst=1, concurrent_calls=2)
    admit(key, TENANT)

    for _ in range(5):
        assert not enters(key)

    eventually(lambda: enters(key))


def test_credentials_and_tenants_do_not_share_a_bucket(credential: Make) -> None:
    key, other = credential(burst=1), credential(burst=1)
    admit(key, TENANT)

    assert admit(other, TENANT).remaining == 0
    assert admit(key, uuid4()).remaining == 0
