"""The admin pages of provider accounts."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from identity.models import User
from inference.models import ProviderAccount
from inference.registry import available
from tests.cast import Cast

ADD = "admin:inference_provideraccount_add"
LIST = "admin:inference_provideraccount_changelist"


def _client(*, superuser: bool) -> Client:
    name = f"staff-{uuid4().hex[:8]}"
    user = User.objects.create(username=name, email=f"{name}@example.test", is_staff=True, is_superuser=superuser)
    client = Client()
    client.force_login(user)
    return client


def _form(cast: Cast, **values: str) -> dict[str, str]:
    return {
        "provider": "openai", "tenant": str(cast.tenant.id), "base_url": "http://127.0.0.1:1/v1", "is_active": "on",
        "secret": "sk-entered-by-hand", **values,
    }  # fmt: skip


def test_a_superuser_enters_an_account_and_its_models_are_there(cast: Cast) -> None:
    assert available(cast.tenant.id) == ["offline/demo"]

    response = _client(superuser=True).post(reverse(ADD), _form(cast))

    assert response.status_code == 302
    account = ProviderAccount.objects.get(tenant=cast.tenant)
    assert (account.secret(), "sk-entered-by-hand" in account.sealed_secret) == ("sk-entered-by-hand", False)
    assert available(cast.tenant.id) == ["offline/demo", "openai/<model>"]


def test_the_key_is_never_shown_and_an_empty_field_keeps_it(cast: Cast) -> None:
    client = _client(superuser=True)
    client.post(reverse(ADD), _form(cast))
    account = ProviderAccount.objects.get(tenant=cast.tenant)
    page = reverse("admin:inference_provideraccount_change", args=[account.id])

    shown = client.get(page).content.decode()
    client.post(page, _form(cast, secret="", base_url="http://127.0.0.1:2/v1"))

    assert "sk-entered" not in shown
    assert account.sealed_secret not in shown
    account.refresh_from_db()
    assert (account.base_url, account.secret()) == ("http://127.0.0.1:2/v1", "sk-entered-by-hand")


def test_a_key_can_be_removed(cast: Cast) -> None:
    client = _client(superuser=True)
    client.post(reverse(ADD), _form(cast))
    account = ProviderAccount.objects.get(tenant=cast.tenant)

    client.post(
        reverse("admin:inference_provideraccount_change", args=[account.id]), _form(cast, secret="", remove_secret="on")
    )

    account.refresh_from_db()
    assert not account.has_secret


@pytest.mark.parametrize("url", ["ftp://x", "http://user:pass@x/v1", "nonsense", "http://"])
def test_an_address_that_is_none_is_a_form_error(cast: Cast, url: str) -> None:
    response = _client(superuser=True).post(reverse(ADD), _form(cast, base_url=url))

    assert response.status_code == 200
    assert "Write an http or https address without a user name" in response.content.decode()
    assert not ProviderAccount.objects.filter(tenant=cast.tenant).exists()


def test_a_second_account_for_the_same_provider_is_a_form_error(cast: Cast) -> None:
    client = _client(superuser=True)
    client.post(reverse(ADD), _form(cast))

    assert client.post(reverse(ADD), _form(cast)).status_code == 200
    assert ProviderAccount.objects.filter(tenant=cast.tenant).count() == 1


def test_deleting_an_account_takes_its_models_away(cast: Cast) -> None:
    client = _client(superuser=True)
    client.post(reverse(ADD), _form(cast))
    account = ProviderAccount.objects.get(tenant=cast.tenant)

    client.post(reverse("admin:inference_provideraccount_delete", args=[account.id]), {"post": "yes"})

    assert available(cast.tenant.id) == ["offline/demo"]


def test_staff_that_is_no_superuser_sees_nothing_of_it(cast: Cast) -> None:
    client = _client(superuser=False)

    assert client.get(reverse(LIST)).status_code == 403
    assert client.post(reverse(ADD), _form(cast)).status_code == 403
    assert not ProviderAccount.objects.filter(tenant=cast.tenant).exists()


def test_the_list_names_accounts(cast: Cast) -> None:
    client = _client(superuser=True)
    client.post(reverse(ADD), _form(cast))

    page = client.get(reverse(LIST)).content.decode()

    assert str(cast.tenant) in page
    assert "sk-entered" not in page
