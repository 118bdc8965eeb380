"""Keeps secrets out of the logs: whatever looks like one of our credentials or a bearer token is masked."""

import logging
import re

SECRET = re.compile(r"(?P<prefix>mcpk_[0-9A-Za-z]{12}_|mcp[ar]t_|sk-|[Bb]earer\s+)(?P<secret>[0-9A-Za-z_\-.~+/=]{8,})")


def redact(text: str) -> str:
    """The text with every secret's tail masked."""
    return SECRET.sub(lambda found: f"{found['prefix']}[redacted]", text)


class RedactSecrets(logging.Filter):
    """A filter for handlers: masks secrets in the finished message and in the exception text."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = redact(record.exc_text)
        return True
