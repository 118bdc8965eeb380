"""The doctor's lines about models."""

import pytest
from pytest_django import Settings

from inference.doctor import checks
from inference.models import ProviderAccount
from tests.cast import Cast
from tests.models_server import ModelsServer


@pytest.fixture(autouse=True)
def _known_by_its_slug(cast: Cast) -> None:
    cast.tenant.name = cast.tenant.slug
    cast.tenant.save()


def _line(about: object) -> str:
    return next(check.line for check in checks() if str(about) in check.name)


def test_without_a_provider_the_offline_model_is_enough() -> None:
    assert next(checks()).line == ("ok  models — offline/demo needs nothing; set OPENAI_BASE_URL or a key for more")


def test_an_address_that_answers_is_well(cast: Cast, models: ModelsServer) -> None:
    account = ProviderAccount.objects.get(tenant=cast.tenant)

    assert _line(account) == f"ok  account {account} — 127.0.0.1:{models.server_port} answers"


def test_an_address_that_does_not_answer_is_named(cast: Cast, settings: Settings) -> None:
    settings.OPENAI_BASE_URL = "http://127.0.0.1:1/v1"

    assert _line("OPENAI_BASE_URL") == (
        "BAD OPENAI_BASE_URL — 127.0.0.1:1 does not answer; start it, or correct the address"
    )


def test_a_key_that_cannot_be_read_is_named(cast: Cast) -> None:
    account = ProviderAccount.objects.create(tenant=cast.tenant, provider="google", sealed_secret="99:lost")

    assert _line(account).startswith("BAD account Google for north-")
    assert "enter it again" in _line(account)
