"""Failures of models as one sentence and a trace id; what the provider said goes to the log."""

import logging
from collections.abc import Iterator

from pydantic_ai import exceptions as ai

from ground.errors import TimedOut, UpstreamFailed
from inference.connection import AnswerRefused

logger = logging.getLogger(__name__)

_SENTENCES: tuple[tuple[type[Exception], str], ...] = (
    (ai.ModelQuotaExceededError, "The account behind {model} has used up its quota; ask an administrator to renew it."),
    (ai.ModelAuthenticationError, "The provider refused the key for {model}; ask an administrator to check it."),
    (ai.ModelNotFoundError, "The provider does not know the model {model}; choose another."),
    (ai.ModelContextWindowExceededError, "The conversation is too long for {model}; start a new thread or send less."),
    (ai.ModelRequestRejectedError, "The provider of {model} refused the request; change it or choose another model."),
    (ai.ModelUnavailableError, "The provider of {model} is overloaded; try again in a moment."),
    (ai.ModelServerError, "The provider of {model} failed; try again in a moment."),
    (ai.ModelConnectionError, "The provider of {model} cannot be reached; try again, or ask an administrator."),
    (ai.ContentFilterError, "The provider of {model} declined this content; rephrase the message."),
    (ai.OutputTokenLimitExceeded, "{model} ran out of output tokens before it answered; allow it more."),
    (ai.AgentRunError, "{model} gave an answer that cannot be used; try again, or choose another model."),
)


def explained(failure: Exception, model_id: str, trace_id: str) -> UpstreamFailed:
    """The error that a caller reads; 504 when the model was too slow, else 502."""
    logger.warning("Model %s failed in trace %s: %s: %s", model_id, trace_id, type(failure).__name__, failure)
    causes = list(_causes(failure))
    if refused := next((cause for cause in causes if isinstance(cause, AnswerRefused)), None):
        return UpstreamFailed(f"{model_id} {refused}", trace_id=trace_id)
    if any(isinstance(cause, ai.ModelTimeoutError | ai.ModelRequestTimeout | TimeoutError) for cause in causes):
        return TimedOut(f"{model_id} did not answer in time; try again, or choose a faster model.", trace_id=trace_id)
    return UpstreamFailed(_sentence(failure, model_id), trace_id=trace_id)


def _sentence(failure: Exception, model_id: str) -> str:
    if isinstance(failure, ai.ModelRateLimitError):
        wait = f"in {failure.retry_after:.0f} seconds" if failure.retry_after else "in a moment"
        return f"The provider of {model_id} receives too many requests; try again {wait}."
    for kind, sentence in _SENTENCES:
        if isinstance(failure, kind):
            return sentence.format(model=model_id)
    return f"{model_id} failed; try again, or choose another model."


def _causes(failure: BaseException | None) -> Iterator[BaseException]:
    while failure is not None:
        yield failure
        failure = failure.__cause__ or failure.__context__
