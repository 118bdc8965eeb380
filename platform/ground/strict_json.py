"""JSON as it must be: no duplicate keys, no numbers that are none, nothing too deep, too long or unpaired."""

import json
from typing import Any, NoReturn

import orjson
from django.conf import settings

from ground.errors import InvalidInput, TooLarge

Json = Any


def loads(body: bytes) -> Json:
    """The value of a JSON text (RFC 8259, UTF-8).

    Raises InvalidInput for what is no JSON or is ambiguous (duplicate keys, NaN, a lone surrogate, U+0000), TooLarge
    for nesting, strings or arrays beyond the settings LIMIT_JSON_DEPTH, LIMIT_STRING_BYTES and LIMIT_ARRAY_ITEMS.
    """
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        if "depth" in fault.msg:  # beyond 1,024 levels the parser gives up by itself
            raise _too_deep() from None
        raise _no_json(f"{fault.msg} (line {fault.lineno}, column {fault.colno})") from None
    keys = _Tally()
    keys.visit(value, settings.LIMIT_JSON_DEPTH)
    # A key more in the text than in the value means that one came twice: look closely only then.
    doubtful = body.count(b":") != keys.count + keys.colons or b"\\u003" in body  # an escaped colon hides one
    if doubtful and _repeats(body):
        raise _no_json("an object has the same key twice")
    return value


def _no_json(message: str) -> InvalidInput:
    return InvalidInput("Invalid request body", [{"field": "body", "message": message}])


def _too_deep() -> TooLarge:
    return TooLarge(f"JSON may be nested {settings.LIMIT_JSON_DEPTH} levels deep at most")


class _Tally:
    """Counts keys, and colons inside strings; refuses what is too long or holds U+0000."""

    def __init__(self) -> None:
        self.count = self.colons = 0

    def visit(self, value: Json, levels: int) -> None:
        """Walk one value that may be nested this many levels."""
        if isinstance(value, str):
            self._text(value)
            return
        if isinstance(value, dict | list) and levels == 0:
            raise _too_deep()
        if isinstance(value, dict):
            self.count += len(value)
            for key, inner in value.items():
                self._text(key)
                self.visit(inner, levels - 1)
        elif isinstance(value, list):
            if len(value) > settings.LIMIT_ARRAY_ITEMS:
                raise TooLarge(f"An array may have {settings.LIMIT_ARRAY_ITEMS} items at most")
            for inner in value:
                self.visit(inner, levels - 1)

    def _text(self, text: str) -> None:
        if len(text) > settings.LIMIT_STRING_BYTES // 4 and len(text.encode()) > settings.LIMIT_STRING_BYTES:
            raise TooLarge(f"A string may be {settings.LIMIT_STRING_BYTES} bytes long at most")
        if "\x00" in text:
            raise _no_json("a string holds the character U+0000")
        self.colons += text.count(":")


def _repeats(body: bytes) -> bool:
    """Whether an object of the text names a key twice."""

    class Repeated(Exception):
        pass

    def check(pairs: list[tuple[str, Json]]) -> None:
        if len({key for key, _ in pairs}) != len(pairs):
            raise Repeated

    def refuse(_: str) -> NoReturn:
        raise AssertionError("the text was parsed before")

    try:
        json.loads(body, object_pairs_hook=check, parse_constant=refuse)
    except Repeated:
        return True
    return False
