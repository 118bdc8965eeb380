"""The HTTP client of model calls: pooled, with deadlines, no redirects and a cap on what an answer may weigh."""

from collections.abc import AsyncIterator

import httpx2
from django.conf import settings

ANSWER_BYTES = 8 * 1024 * 1024
CONNECT_SECONDS = 5.0


TOO_LARGE = f"answered more than {ANSWER_BYTES // (1024 * 1024)} MiB; ask for less."
PACKED = "compresses its answers, which is not accepted; ask an administrator."


class AnswerRefused(Exception):
    """A provider's answer that is not read to its end; the text says why, after the model's name."""


class _Capped(httpx2.AsyncByteStream):
    """A response body that ends with AnswerRefused instead of filling the memory."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._body:
            seen += len(chunk)
            if seen > ANSWER_BYTES:
                raise AnswerRefused(TOO_LARGE)
            yield chunk

    async def aclose(self) -> None:
        await self._body.aclose()


async def _cap(response: httpx2.Response) -> None:
    # We ask for no compression; a body compressed all the same could unfold to any size.
    if response.headers.get("content-encoding", "identity") not in ("", "identity"):
        raise AnswerRefused(PACKED)
    response.stream = _Capped(response.stream)  # type: ignore[arg-type]


def new_client() -> httpx2.AsyncClient:
    """A client for the running loop; whoever asks for it closes it."""
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(settings.LIMIT_CALL_SECONDS, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=30),
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_cap]},
        follow_redirects=False,
    )
