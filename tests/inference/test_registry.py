"""Model ids of a tenant."""

import pytest
from pytest_django import Settings

from ground.errors import Unprocessable
from inference.accounts import accounts_changed
from inference.models import ProviderAccount
from inference.registry import available, resolve
from tests.cast import Cast
from tests.models_server import ModelsServer


def test_the_offline_model_is_there_without_any_account(cast: Cast) -> None:
    assert available(cast.tenant.id) == ["offline/demo"]
    assert resolve(cast.tenant.id, "offline/demo").model_id == "offline/demo"


@pytest.mark.parametrize("unknown", ["openai/gpt-4o", "offline/other", "demo", "", "openai/", "/x", "nobody/x"])
def test_an_unknown_model_is_refused_with_what_there_is(cast: Cast, unknown: str) -> None:
    with pytest.raises(Unprocessable, match=r"available: offline/demo\."):
        resolve(cast.tenant.id, unknown)


def test_an_account_opens_its_provider_for_its_tenant_alone(cast: Cast, models: ModelsServer) -> None:
    assert available(cast.tenant.id) == ["offline/demo", "openai/<model>"]
    assert available(cast.other_tenant.id) == ["offline/demo"]


def test_the_name_of_a_model_may_hold_slashes(cast: Cast, models: ModelsServer) -> None:
    target = resolve(cast.tenant.id, "openai/Qwen/Qwen3-4B")

    assert (target.provider, target.name, target.account.base_url) == ("openai", "Qwen/Qwen3-4B", models.base_url)


def test_an_inactive_account_opens_nothing(cast: Cast, models: ModelsServer) -> None:
    ProviderAccount.objects.filter(tenant=cast.tenant).update(is_active=False)
    accounts_changed(cast.tenant.id)

    assert available(cast.tenant.id) == ["offline/demo"]


def test_the_environment_stands_in_where_there_is_no_account(cast: Cast, settings: Settings) -> None:
    settings.OPENAI_BASE_URL = "http://127.0.0.1:1/v1"
    settings.ANTHROPIC_API_KEY = settings.GOOGLE_API_KEY = "key"

    assert available(cast.tenant.id) == ["offline/demo", "anthropic/<model>", "google/<model>", "openai/<model>"]
    assert resolve(cast.tenant.id, "openai/x").account.base_url == "http://127.0.0.1:1/v1"


def test_an_account_never_borrows_address_or_key_from_the_environment(
    cast: Cast, models: ModelsServer, settings: Settings
) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = "http://127.0.0.1:1/v1", "of the environment"

    account = resolve(cast.tenant.id, "openai/x").account

    assert (account.base_url, account.secret) == (models.base_url, "sk-of-the-tests")


def test_a_target_shows_no_secret(cast: Cast, models: ModelsServer) -> None:
    assert "sk-of-the-tests" not in repr(resolve(cast.tenant.id, "openai/x"))
