"""Secrets in logs."""

import io
import logging

import pytest

from credentials.keys import generate
from ground.redaction import RedactSecrets, redact

SECRET = "A1b2" * 12


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Authorization: Bearer {SECRET}", "Authorization: Bearer [redacted]"),
        (f"authorization=bearer {SECRET}.sig-1", "authorization=bearer [redacted]"),
        (f"key mcpk_0123456789ab_{SECRET}x refused", "key mcpk_0123456789ab_[redacted] refused"),
        (f"token mcpat_{SECRET} and mcprt_{SECRET}", "token mcpat_[redacted] and mcprt_[redacted]"),
        (f"provider said: sk-proj-{SECRET}", "provider said: sk-[redacted]"),
        ("Bearer of good news", "Bearer of good news"),
        ("agents:read on sales", "agents:read on sales"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, expected: str) -> None:
    assert redact(text) == expected


def test_a_key_of_ours_never_shows_its_secret() -> None:
    key = generate()

    assert key.secret not in redact(f"GET /x {key}")


def test_a_log_line_is_masked_in_message_arguments_and_traceback() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.addFilter(RedactSecrets())
    logger = logging.Logger("test")  # noqa: LOG001  (known to nobody else)
    logger.addHandler(handler)

    try:
        raise ValueError(f"refused Bearer {SECRET}")
    except ValueError:
        logger.exception("with %s and %d", f"mcpk_0123456789ab_{SECRET}", 5)

    shown = out.getvalue()
    assert SECRET not in shown
    assert "with mcpk_0123456789ab_[redacted] and 5" in shown
    assert "ValueError: refused Bearer [redacted]" in shown
