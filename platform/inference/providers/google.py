"""Google's Gemini models."""

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.settings import ModelSettings

from inference.registry import Target

OWN_URL = "https://generativelanguage.googleapis.com"


def build(target: Target, client: httpx2.AsyncClient, settings: ModelSettings) -> Model:
    """The model of a target, over this client."""
    provider = GoogleProvider(
        api_key=target.account.secret, base_url=target.account.base_url or OWN_URL, http_client=client
    )
    return GoogleModel(target.name, provider=provider, settings=settings)
