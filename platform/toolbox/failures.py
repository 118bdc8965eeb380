"""Failures of tools as one sentence and a trace id; what the tool said goes to the log."""

import logging

from ground.errors import (
    Conflict,
    InvalidInput,
    Issue,
    NotFound,
    PlatformError,
    TimedOut,
    TooLarge,
    Unprocessable,
    UpstreamFailed,
)
from toolbox.declaring import Declared

logger = logging.getLogger(__name__)

_SENTENCES = {
    "raised": "failed; try again, and report it with the trace id if it stays.",
    "output": "returned something that breaks its output schema; report it with the trace id.",
    "json": "returned something that is not JSON; report it with the trace id.",
    "large": "returned more than the {limit} bytes that a result may have; ask for less.",
    "memory": "needed more than its {memory} MB of memory and was stopped; ask for less.",
    "ended": "ended its process before it answered; report it with the trace id.",
    "start": "could not be started; try again in a moment.",
}

# What a tool may raise to be read by its caller.
_READABLE: dict[str, type[PlatformError]] = {
    kind.__name__: kind
    for kind in (InvalidInput, NotFound, Conflict, TooLarge, Unprocessable, UpstreamFailed, TimedOut)
}


class Refused(Exception):
    """The tool raised one of ground.errors."""

    def __init__(self, kind: str, sentence: str, issues: list[Issue]) -> None:
        self.kind, self.sentence, self.issues = kind, sentence, issues
        super().__init__(sentence)


def failed(declared: Declared, kind: str, details: str, trace_id: str, limit: int) -> UpstreamFailed:
    """The error that a caller reads."""
    logger.error("Tool %s failed (%s) in trace %s: %s", declared.id, kind, trace_id, details)
    sentence = _SENTENCES[kind].format(limit=limit, memory=declared.memory_mb)
    return UpstreamFailed(f"Tool {declared.id} {sentence}", trace_id=trace_id)


def too_slow(declared: Declared, seconds: float, trace_id: str) -> TimedOut:
    """The tool did not answer in its time."""
    logger.warning("Tool %s took longer than %g seconds in trace %s", declared.id, seconds, trace_id)
    return TimedOut(
        f"Tool {declared.id} took longer than {seconds:g} seconds and was stopped; ask for less.", trace_id=trace_id
    )


def too_busy(declared: Declared, seconds: float, trace_id: str) -> TimedOut:
    """The tool was never begun."""
    logger.warning("Tool %s found no free process for %g seconds in trace %s", declared.id, seconds, trace_id)
    return TimedOut(
        f"Tool {declared.id} did not get its turn within {seconds:g} seconds and was not begun; try again in a moment.",
        trace_id=trace_id,
    )


def readable(kind: str, sentence: str, issues: list[Issue], trace_id: str) -> PlatformError | None:
    """The error that the tool itself raised for its caller; None when it may not raise this one."""
    found = _READABLE.get(kind)
    if found is None:
        return None
    if issubclass(found, UpstreamFailed):
        return found(sentence, trace_id=trace_id)
    return InvalidInput(sentence, issues) if found is InvalidInput else found(sentence)
