"""Provider keys at rest."""

import pytest
from pytest_django import Settings

from inference.accounts import accounts_changed, accounts_of
from inference.models import ProviderAccount
from inference.sealing import Unreadable, seal, unseal
from tests.cast import Cast

FIRST, SECOND = "first-pepper-of-the-tests-32-characters", "second-pepper-of-the-tests-32-characters"


def test_a_sealed_secret_is_not_readable_and_comes_back() -> None:
    sealed = seal("sk-very-secret")

    assert "sk-very-secret" not in sealed
    assert unseal(sealed) == "sk-very-secret"


def test_no_secret_is_sealed_as_nothing() -> None:
    assert seal("") == ""
    assert unseal("") == ""


def test_a_new_pepper_seals_and_the_old_one_still_reads(settings: Settings) -> None:
    settings.KEY_PEPPERS = {1: FIRST}
    old = seal("secret")
    settings.KEY_PEPPERS = {1: FIRST, 2: SECOND}

    assert seal("secret").startswith("2:")
    assert unseal(old) == "secret"


@pytest.mark.parametrize("sealed", ["2:gone", "x:y", "nonsense", "1:nonsense"])
def test_what_cannot_be_read_is_said_so(settings: Settings, sealed: str) -> None:
    settings.KEY_PEPPERS = {1: FIRST}

    with pytest.raises(Unreadable):
        unseal(sealed)


def test_an_unreadable_account_is_left_out_and_no_other_key_stands_in(cast: Cast, settings: Settings) -> None:
    settings.OPENAI_API_KEY = "of the environment"
    ProviderAccount.objects.create(tenant=cast.tenant, provider="openai", sealed_secret="99:lost")
    accounts_changed(cast.tenant.id)

    assert "openai" not in accounts_of(cast.tenant.id)
