"""A models server that the cast's tenant reaches."""

from collections.abc import Iterator

import pytest

from ground.bridge import on_background
from inference.accounts import accounts_changed
from inference.lending import close_all
from inference.models import ProviderAccount
from tests.cast import Cast
from tests.models_server import ModelsServer, serving


@pytest.fixture
def models(cast: Cast) -> Iterator[ModelsServer]:
    """The server, behind `openai/…` of the cast's tenant; its connections are closed at the end."""
    with serving() as server:
        account = ProviderAccount(tenant=cast.tenant, provider="openai", base_url=server.base_url)
        account.keep_secret("sk-of-the-tests")
        account.save()
        accounts_changed(cast.tenant.id)
        yield server
        on_background(close_all()).result(5)
