"""OpenAI and every server that speaks its chat API."""

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from inference.registry import Target

OWN_URL = "https://api.openai.com/v1"
NO_KEY = "none"  # the SDK wants one, and would take it from the environment


def build(target: Target, client: httpx2.AsyncClient, settings: ModelSettings) -> Model:
    """The model of a target, over this client."""
    key = target.account.secret or NO_KEY
    if target.is_first_party:
        own = OpenAIProvider(base_url=OWN_URL, api_key=key, http_client=client)
        return OpenAIChatModel(target.name, provider=own, settings=settings)
    compatible = OpenAICompatibleProvider(
        name="openai", base_url=target.account.base_url, api_key=key, http_client=client
    )
    return OpenAIChatModel(target.name, provider=compatible, settings=settings)
