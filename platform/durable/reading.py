"""Reads JSON columns so that whatever was kept can be shown again."""

import json
from typing import Any

import orjson


class Decoder(json.JSONDecoder):
    """Numbers beyond 64 bits are floats: PostgreSQL writes 1e22 out in digits, and our answers know no such integer."""

    def decode(self, s: str, _w: Any = None) -> Any:
        """The value of a text."""
        return orjson.loads(s)
