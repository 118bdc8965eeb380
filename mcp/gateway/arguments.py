"""Arguments in: forgiving where the meaning is exact, one sentence that names the argument where it is not."""

import re
from collections.abc import Mapping
from typing import Any

from jsonschema_rs import ValidationError

from api.serializers import unknown_key
from gateway.offers import Arguments, Listing, Schema
from ground import strict_json
from ground.errors import InvalidInput, PlatformError

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False}

_KINDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


def accepted(listing: Listing, given: Mapping[str, Any] | None) -> Arguments:
    """The arguments as the tool takes them; InvalidInput with one sentence when they break its schema."""
    arguments = _forgiven(listing.input_schema, given or {})
    if listing.validator.is_valid(arguments):
        return arguments
    failure = next(iter(listing.validator.iter_errors(arguments)))
    raise InvalidInput(f"{listing.name}: {_sentence(failure, listing.input_schema)}")


def _forgiven(schema: Schema, given: Mapping[str, Any]) -> Arguments:
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    taken: Arguments = {}
    for name, value in given.items():
        wanted = properties.get(name)
        if not isinstance(wanted, dict):
            taken[name] = value
        elif value is not None or name in required or _allows_null(wanted):
            taken[name] = meant(wanted, value)
    return taken


def _types(schema: Schema) -> tuple[str, ...]:
    kinds = schema.get("type")
    if kinds is None and "enum" in schema:
        return ("string",)
    return (kinds,) if isinstance(kinds, str) else tuple(kinds or ())


def _allows_null(schema: Schema) -> bool:
    kinds = schema.get("type")
    return "null" in kinds if isinstance(kinds, list) else kinds == "null"


def meant(schema: Schema, value: Any) -> Any:
    """A text where no text is wanted, as the value it spells exactly; everything else unchanged."""
    if not isinstance(value, str):
        return value
    kinds = _types(schema)
    if not kinds or "string" in kinds:
        return value
    if "boolean" in kinds and value in _WORDS:
        return _WORDS[value]
    if ("integer" in kinds or "number" in kinds) and _NUMBER.fullmatch(value):
        return _parsed(value)
    if "object" in kinds or "array" in kinds:
        parsed = _parsed(value)
        if (isinstance(parsed, dict) and "object" in kinds) or (isinstance(parsed, list) and "array" in kinds):
            return parsed
    return value


def _parsed(text: str) -> Any:
    try:
        return strict_json.loads(text.encode())
    except (PlatformError, UnicodeEncodeError):
        return text


def _sentence(failure: ValidationError, schema: Schema) -> str:
    path = ".".join(str(part) for part in failure.instance_path)
    kind: Any = failure.kind  # one class a keyword, told apart by name
    match kind.name:
        case "required":
            return f"{_joined(path, kind.property)} is required."
        case "additionalProperties":
            name = str(kind.unexpected[0])
            known = list(schema.get("properties", {})) if not path else []
            return f"{_joined(path, name)}: {unknown_key(name, known)}." if known or not path else (
                f"{_joined(path, name)} is not known here."
            )  # fmt: skip
    return f"{path or 'The arguments'} {_expected(kind)}."


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _expected(kind: Any) -> str:
    match kind.name:
        case "type":
            return f"must be {' or '.join(_KINDS.get(wanted, wanted) for wanted in kind.types)}"
        case "enum":
            return f"must be one of {_listed(kind.options)}"
        case "minimum":
            return f"must be at least {kind.limit}"
        case "maximum":
            return f"must be at most {kind.limit}"
        case "minLength":
            return "must not be empty" if kind.limit == 1 else f"must have at least {kind.limit} characters"
        case "maxLength":
            return f"must have at most {kind.limit} characters"
        case "minItems":
            return f"must have at least {kind.limit} items"
        case "maxItems":
            return f"must have at most {kind.limit} items"
    return f"does not match its schema ({kind.name})"


def _listed(options: Any) -> str:
    shown = [str(option) for option in options] if isinstance(options, list | tuple) else [str(options)]
    return ", ".join(shown[:50])
