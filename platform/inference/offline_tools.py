"""Which tool the offline model calls: one that the message names, when its required arguments can be read from it."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic_ai.tools import ToolDefinition

from inference.offline_words import shared, words

Arguments = dict[str, Any]
Schema = dict[str, Any]

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_QUOTED = re.compile(r"[\"“«']([^\"”»']{1,500})[\"”»']")


def inferred_call(message: str, tools: Sequence[ToolDefinition]) -> tuple[str, Arguments] | None:
    """The tool that fits the message best, with arguments; the first in the list among equals."""
    best: tuple[int, str, Arguments] | None = None
    asked = words(message)
    for tool in tools:
        name = tool.name.replace("_", " ").replace("-", " ")
        score = 3 * shared(asked, name) + shared(asked, tool.description or "")
        if score < 2 or (best and score <= best[0]):
            continue
        if (arguments := read_arguments(message, tool.parameters_json_schema)) is not None:
            best = (score, tool.name, arguments)
    return (best[1], best[2]) if best else None


def read_arguments(message: str, schema: Schema) -> Arguments | None:
    """What a schema asks for, out of a message; None when something required is missing.

    In this order: a JSON object in the message, `name: value` or `name=value`, a listed value that is mentioned, the
    numbers and quoted texts in their order, and the whole message for the only required text.
    """
    properties: dict[str, Schema] = schema.get("properties", {})
    required = list(schema.get("required", ()))
    written = _json_object(message, properties)
    numbers, quotes = iter(_NUMBER.findall(message)), iter(_QUOTED.findall(message))
    found: Arguments = {}
    for name, wanted in properties.items():
        value = written.get(name)
        if value is None:
            value = _named(message, name, wanted)
        if value is None:
            value = _mentioned(message, wanted)
        if value is None and name in required:
            value = _next(wanted, numbers, quotes)
        if value is not None:
            found[name] = value
    missing = [name for name in required if name not in found]
    if len(missing) == 1 and properties.get(missing[0], {}).get("type") == "string":
        found[missing[0]], missing = message, []
    return None if missing else found


def _json_object(message: str, properties: dict[str, Schema]) -> Arguments:
    start, end = message.find("{"), message.rfind("}")
    if start < 0 or end < start:
        return {}
    try:
        value = json.loads(message[start : end + 1])
    except ValueError:
        return {}
    return {name: value[name] for name in properties if name in value} if isinstance(value, dict) else {}


def _named(message: str, name: str, wanted: Schema) -> Any:
    spelled = re.escape(name).replace("_", "[ _]?")
    found = re.search(rf"\b{spelled}\s*[:=]\s*(\"[^\"]*\"|[^\s,;]+)", message, re.IGNORECASE)
    return _as_type(found[1].strip('"'), wanted) if found else None


def _mentioned(message: str, wanted: Schema) -> Any:
    spoken = words(message)
    for value in wanted.get("enum", ()):
        if isinstance(value, str) and value and words(value) <= spoken:
            return value
    return None


def _next(wanted: Schema, numbers: Iterator[str], quotes: Iterator[str]) -> Any:
    match wanted.get("type"):
        case "integer" | "number":
            return next((_as_type(number, wanted) for number in numbers), None)
        case "string" if "enum" not in wanted:
            return next(quotes, None)
    return None


_READERS: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "number": float,
    "boolean": {"true": True, "false": False, "yes": True, "no": False}.__getitem__,
    "string": str,
}


def _as_type(text: str, wanted: Schema) -> Any:
    reader = _READERS.get(wanted.get("type", "string"))
    try:
        return reader(text) if reader else None
    except (ValueError, KeyError):
        return None
