"""One run of a declared function, the same inside the server and in a tool process: JSON in, JSON out."""

import inspect
import json
import math
import traceback
from collections.abc import Iterable
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from ground.errors import Issue
from toolbox.context import ToolContext
from toolbox.declaring import Declared

MOST_ISSUES = 50
MOST_TRACE = 16_000  # characters of a traceback that reach the log

_anything: TypeAdapter[Any] = TypeAdapter(Any)


class Failure(NamedTuple):
    """Why there is no result: `kind` for the caller's sentence, `details` for the log alone."""

    kind: str
    details: str


class Failed(Exception):
    """A run without a result."""

    def __init__(self, kind: str, details: str = "") -> None:
        self.failure = Failure(kind, details[-MOST_TRACE:])
        super().__init__(kind)


def validated(declared: Declared, data: bytes) -> Any:
    """The input as the function takes it, defaults filled in; pydantic's ValidationError when it breaks the schema."""
    return declared.input.validate_json(data, strict=True)


def issues_of(fault: ValidationError) -> list[Issue]:
    """What is wrong with an input, field by field, below `data`."""
    found = fault.errors(include_url=False, include_context=False, include_input=False)
    return [
        Issue(field=".".join(("data", *map(str, error["loc"]))), message=error["msg"]) for error in found[:MOST_ISSUES]
    ]


def call(declared: Declared, data: bytes, context: ToolContext) -> Any:
    """What the function returns; a coroutine where it is asynchronous."""
    taken = validated(declared, data)
    return declared.function(taken, context) if declared.takes_context else declared.function(taken)


def is_asynchronous(declared: Declared) -> bool:
    """Whether the function is to be awaited."""
    return inspect.iscoroutinefunction(declared.function)


def encoded(declared: Declared, value: Any, limit: int) -> bytes:
    """The result as JSON; Failed when it is none, breaks its schema, or is larger than `limit` bytes."""
    adapter = declared.output or _anything
    try:
        fitting = adapter.validate_python(value) if declared.output else value
        body = adapter.dump_json(fitting, by_alias=True)
        json.loads(body)
        if b"null" in body:  # what pydantic writes for a number without a JSON word, whatever the schema says
            _check_numbers(adapter.dump_python(fitting))
        if b"\\u0000" in body.replace(b"\\\\", b""):
            raise ValueError("U+0000, which no database keeps")
    except ValidationError as fault:
        raise Failed("output", str(fault)) from None
    except (PydanticSerializationError, ValueError, RecursionError) as fault:
        raise Failed("json", f"{type(fault).__name__}: {fault}") from None
    if len(body) > limit:
        raise Failed("large", f"{len(body)} bytes")
    return body


def _check_numbers(value: Any) -> None:
    """ValueError when infinity or no number at all is among the values."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not JSON.")
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for inner in value:
            _check_numbers(inner)


def raised(failure: BaseException) -> Failed:
    """A tool's own exception."""
    return Failed("raised", "".join(traceback.format_exception(failure)))
