"""Anthropic's models."""

import httpx2
from anthropic import AsyncAnthropic
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.settings import ModelSettings

from inference.registry import Target

OWN_URL = "https://api.anthropic.com"


def build(target: Target, client: httpx2.AsyncClient, settings: ModelSettings) -> Model:
    """The model of a target, over this client."""
    sdk = AsyncAnthropic(
        api_key=target.account.secret, base_url=target.account.base_url or OWN_URL, http_client=client, max_retries=0
    )
    return AnthropicModel(target.name, provider=AnthropicProvider(anthropic_client=sdk), settings=settings)
