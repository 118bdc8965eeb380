"""Failed authentications are counted by address."""

import itertools
from uuid import uuid4

import pytest
from pytest_django import Settings

from ground.errors import RateLimited
from limits.addresses import charge_failure, check_address
from tests.limits.servers import OwnValkey


def an_address() -> str:
    """One that no other test and no earlier run used."""
    number = uuid4().bytes
    return f"2001:db8:{number[:2].hex()}:{number[2:4].hex()}::1"


def test_the_failure_after_the_last_allowed_one_is_refused(settings: Settings) -> None:
    settings.LIMIT_FAILED_AUTHENTICATIONS = 3
    address = an_address()

    for _ in range(3):
        charge_failure(address)

    with pytest.raises(RateLimited) as refused:
        charge_failure(address)
    assert refused.value.sentence == (
        "Too many failed authentications from this address; try again in 20 seconds with a valid key."
    )
    assert (refused.value.retry_after, refused.value.limit, refused.value.remaining) == (20, 3, 0)


def test_asking_about_an_address_charges_nothing(settings: Settings) -> None:
    settings.LIMIT_FAILED_AUTHENTICATIONS = 2
    address = an_address()
    for _ in range(5):
        check_address(address)
    charge_failure(address)
    check_address(address)
    charge_failure(address)

    with pytest.raises(RateLimited):
        check_address(address)


def test_one_network_of_ipv6_is_one_address(settings: Settings) -> None:
    settings.LIMIT_FAILED_AUTHENTICATIONS = 2
    network = an_address().removesuffix("1")
    charge_failure(f"{network}1")
    charge_failure(f"{network}ffff")

    with pytest.raises(RateLimited):
        charge_failure(f"{network}abcd")
    charge_failure(an_address())


def test_failures_are_counted_while_valkey_is_away(settings: Settings, own_valkey: OwnValkey) -> None:
    settings.LIMIT_FAILED_AUTHENTICATIONS = 3
    address = an_address()
    own_valkey.kill()

    for _ in range(3):
        charge_failure(address)

    for check, _ in itertools.product((charge_failure, check_address), range(2)):
        with pytest.raises(RateLimited):
            check(address)
