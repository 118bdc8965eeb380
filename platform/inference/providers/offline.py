"""The model that needs no key and no network."""

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.settings import ModelSettings

from inference.offline import answer
from inference.registry import Target


def build(target: Target, client: httpx2.AsyncClient, settings: ModelSettings) -> Model:
    """The model of a target; it opens no connection, so the deadlines of calls do not concern it."""
    return FunctionModel(answer, model_name=target.name)
