"""A real server misbehaves: each failure is one sentence, without retries, without what the provider said."""

import time

import pytest
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse
from pytest_django import Settings

from ground.bridge import on_background
from ground.errors import TimedOut, UpstreamFailed
from inference.failures import explained
from inference.lending import borrowed
from inference.registry import resolve
from tests.cast import Cast
from tests.models_server import ModelsServer

TRACE = "0" * 32


def _ask(cast: Cast, name: str) -> ModelResponse:
    target = resolve(cast.tenant.id, f"openai/{name}")

    async def asked() -> ModelResponse:
        async with borrowed(target) as model:
            return await model_request(model, [ModelRequest.user_text_prompt("hi")])

    answer: ModelResponse = on_background(asked()).result(20)
    return answer


def _failure(cast: Cast, name: str) -> UpstreamFailed:
    target = resolve(cast.tenant.id, f"openai/{name}")

    async def asked() -> None:
        async with borrowed(target) as model:
            await model_request(model, [ModelRequest.user_text_prompt("hi")])

    with pytest.raises(Exception) as caught:  # noqa: PT011  (which one is the question)
        on_background(asked()).result(20)
    assert isinstance(caught.value, Exception)
    return explained(caught.value, target.model_id, TRACE)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("refuse-400", "The provider of openai/refuse-400 refused the request; change it or choose another model."),
        ("refuse-401", "The provider refused the key for openai/refuse-401; ask an administrator to check it."),
        ("refuse-404", "The provider does not know the model openai/refuse-404; choose another."),
        ("refuse-429", "The provider of openai/refuse-429 receives too many requests; try again in 7 seconds."),
        ("fail-500", "The provider of openai/fail-500 failed; try again in a moment."),
        ("fail-503", "The provider of openai/fail-503 is overloaded; try again in a moment."),
        ("huge", "openai/huge answered more than 8 MiB; ask for less."),
        (
            "packed",
            "openai/packed compresses its answers, which is not accepted; ask an administrator.",
        ),
        ("malformed", "openai/malformed gave an answer that cannot be used; try again, or choose another model."),
        ("odd", "openai/odd gave an answer that cannot be used; try again, or choose another model."),
        ("cut", "The provider of openai/cut cannot be reached; try again, or ask an administrator."),
        ("redirect", "openai/redirect gave an answer that cannot be used; try again, or choose another model."),
    ],
)
def test_a_failure_is_one_sentence_after_one_request(
    cast: Cast, models: ModelsServer, name: str, sentence: str
) -> None:
    failure = _failure(cast, name)

    assert failure.body() == {"error": sentence, "traceId": TRACE}
    assert failure.status == 502
    assert len(models.asked) == 1


@pytest.mark.parametrize("name", ["silent", "drip"])
def test_a_model_that_is_too_slow_is_stopped(cast: Cast, models: ModelsServer, settings: Settings, name: str) -> None:
    settings.LIMIT_CALL_SECONDS = 0.4
    started = time.monotonic()

    failure = _failure(cast, name)

    assert isinstance(failure, TimedOut)
    assert failure.sentence == f"openai/{name} did not answer in time; try again, or choose a faster model."
    assert time.monotonic() - started < 3
    assert models.abandoned.wait(2)


def test_nobody_listens(cast: Cast, models: ModelsServer) -> None:
    models.shutdown()
    models.server_close()

    failure = _failure(cast, "echo")

    assert failure.sentence == "The provider of openai/echo cannot be reached; try again, or ask an administrator."


def test_a_good_answer_carries_usage_and_the_key_went_along(cast: Cast, models: ModelsServer) -> None:
    answer = _ask(cast, "echo")

    assert (answer.text, answer.usage.input_tokens, answer.usage.output_tokens) == ("Echo: hi", 11, 7)
    assert models.authorizations == ["Bearer sk-of-the-tests"]
