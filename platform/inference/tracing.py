"""The ids under which a run is found again: those of the recorded span, or fresh ones."""

import secrets
from typing import NamedTuple

from opentelemetry import trace


class TraceIds(NamedTuple):
    """Hexadecimal ids of a trace and of the span in it."""

    trace_id: str
    span_id: str


def trace_ids() -> TraceIds:
    """The ids of the running span when one is recording; otherwise new ones in the same form."""
    context = trace.get_current_span().get_span_context()
    if context.is_valid:
        return TraceIds(trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id))
    return TraceIds(secrets.token_hex(16), secrets.token_hex(8))
