"""Each provider's API, spoken to a server on loopback: the key goes along, and nothing is tried twice."""

import pytest
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse

from ground.bridge import on_background
from ground.errors import UpstreamFailed
from inference.actions import keep_account
from inference.failures import explained
from inference.lending import borrowed
from inference.models import ProviderAccount
from inference.registry import resolve
from tests.cast import Cast
from tests.models_server import ModelsServer

KEYS = {"openai": "Bearer sk-of-the-tests", "anthropic": "Bearer key-of-anthropic", "google": "key-of-google"}


@pytest.fixture(autouse=True)
def _accounts(cast: Cast, models: ModelsServer) -> None:
    for provider in ("anthropic", "google"):
        account = ProviderAccount(tenant=cast.tenant, provider=provider, base_url=models.base_url)
        keep_account(account, secret=KEYS[provider].removeprefix("Bearer "))


def _ask(cast: Cast, model_id: str) -> ModelResponse:
    target = resolve(cast.tenant.id, model_id)

    async def asked() -> ModelResponse:
        async with borrowed(target) as model:
            return await model_request(model, [ModelRequest.user_text_prompt("hi 👋")])

    answer: ModelResponse = on_background(asked()).result(20)
    return answer


@pytest.mark.parametrize("provider", KEYS)
def test_a_message_is_answered(cast: Cast, models: ModelsServer, provider: str) -> None:
    answer = _ask(cast, f"{provider}/echo")

    assert (answer.text, answer.finish_reason) == ("Echo: hi 👋", "stop")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (11, 7)
    assert models.authorizations == [KEYS[provider]]


@pytest.mark.parametrize("provider", KEYS)
def test_a_failure_is_met_once(cast: Cast, models: ModelsServer, provider: str) -> None:
    with pytest.raises(Exception, match="fail-500") as caught:
        _ask(cast, f"{provider}/fail-500")

    failure = explained(caught.value, f"{provider}/fail-500", "0" * 32)
    assert isinstance(failure, UpstreamFailed)
    assert failure.sentence == f"The provider of {provider}/fail-500 failed; try again in a moment."
    assert len(models.asked) == 1
