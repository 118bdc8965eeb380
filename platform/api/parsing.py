"""JSON in, strictly: size, depth, duplicate keys and numbers that are none are refused before anything else."""

from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from ground import strict_json
from ground.errors import InvalidInput, TooLarge


class StrictJSONParser(BaseParser):
    """The one parser of the API."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """The body's value; InvalidInput or TooLarge when it breaks a limit."""
        view = (parser_context or {}).get("view")
        limit = getattr(view, "body_limit", None) or settings.LIMIT_BODY_BYTES
        try:
            body = stream.read(limit + 1)
        except ValueError:  # the client is gone, and the server has closed what it sent
            raise InvalidInput("The request ended before its body was read.") from None
        if len(body) > limit:
            raise TooLarge
        return strict_json.loads(body) if body.strip() else {}
