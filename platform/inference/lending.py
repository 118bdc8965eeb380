"""Model objects of the background loop: one per target, lent out, closed when they are the longest unused."""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module

import httpx2
from django.conf import settings
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from inference.connection import new_client
from inference.registry import Target

KEPT = 32


@dataclass(slots=True)
class _Lent:
    model: Model
    client: httpx2.AsyncClient
    borrowers: int = 0


# Touched on the background loop alone: a model object is bound to the loop that first used it.
_models: OrderedDict[Target, _Lent] = OrderedDict()


@asynccontextmanager
async def borrowed(target: Target) -> AsyncIterator[Model]:
    """The model of a target, with its open connections, for the duration of the block."""
    lent = _models.get(target) or _models.setdefault(target, _built(target))
    _models.move_to_end(target)
    lent.borrowers += 1
    try:
        yield lent.model
    finally:
        lent.borrowers -= 1
        await _close_unused(KEPT)


async def close_all() -> None:
    """Close what nobody borrows."""
    await _close_unused(0)


def _built(target: Target) -> _Lent:
    client = new_client()
    once = ModelSettings(
        max_retries=0,  # a retry nobody sees doubles cost and time
        timeout=settings.LIMIT_CALL_SECONDS,
        request_timeout=settings.LIMIT_CALL_SECONDS,
    )
    # Each SDK takes a second to import: only those that are used.
    builder = import_module(f"inference.providers.{target.provider}")
    return _Lent(builder.build(target, client, once), client)


async def _close_unused(keep: int) -> None:
    unused = [target for target, lent in _models.items() if not lent.borrowers]
    # All are taken out before the first wait: in between somebody might borrow one.
    closing = [_models.pop(target) for target in unused[: max(0, len(_models) - keep)]]
    for lent in closing:
        await lent.client.aclose()
