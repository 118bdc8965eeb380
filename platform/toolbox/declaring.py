"""`@tool`: a function, its types and its docstring are the whole declaration of a tool."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_type_hints

from pydantic import PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUndefinedAnnotation

from toolbox.context import ToolContext

Schema = dict[str, Any]
Function = TypeVar("Function", bound=Callable[..., Any])

ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
HINTS = frozenset({"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
SECONDS, MEGABYTES = 30.0, 512


class BadTool(Exception):
    """A declaration that cannot be used; says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One tool. `inline` tools run in the server's own process: quick ones that cannot fail badly.

    `timeout` is in seconds; `memory_mb` is what the tool may use beyond its process; `uses_models` says that the
    module needs Django to be set up before it is imported.
    """

    id: str
    description: str
    function: Callable[..., Any] = field(repr=False)
    requires_approval: bool
    inline: bool
    timeout: float
    memory_mb: int
    uses_models: bool
    annotations: Mapping[str, Any]
    takes_context: bool
    input: TypeAdapter[Any] = field(repr=False)
    output: TypeAdapter[Any] | None = field(repr=False)
    input_schema: Schema = field(repr=False)
    output_schema: Schema | None = field(repr=False)


def tool(
    *,
    id: str,  # noqa: A002  (what callers read)
    requires_approval: bool = False,
    inline: bool = False,
    timeout: float = SECONDS,
    memory_mb: int = MEGABYTES,
    uses_models: bool = False,
    annotations: Mapping[str, Any] | None = None,
) -> Callable[[Function], Function]:
    """Declare a function as a tool: its first parameter is the input, an optional second one the ToolContext."""

    def declare(function: Function) -> Function:
        options = {
            "requires_approval": requires_approval,
            "inline": inline,
            "timeout": timeout,
            "memory_mb": memory_mb,
            "uses_models": uses_models,
            "annotations": dict(annotations or {}),
        }
        function.declares_tool = (id, options)  # type: ignore[attr-defined]
        return function

    return declare


def is_declared(value: object) -> bool:
    """Whether this is a function under `@tool`."""
    return inspect.isfunction(value) and hasattr(value, "declares_tool")


def declared_by(function: Any) -> Declared:
    """The tool that a decorated function declares; BadTool when it declares none that can be used."""
    tool_id, options = function.declares_tool
    _check(tool_id, options)
    description = inspect.cleandoc(function.__doc__ or "")
    if not description:
        raise BadTool("has no docstring; it is the description that callers read")
    parameters, hints = list(inspect.signature(function).parameters), _hints(function)
    if len(parameters) not in (1, 2) or parameters[0] not in hints:
        raise BadTool("must take its input, with a type, and may take a ToolContext after it")
    if len(parameters) == 2 and hints.get(parameters[1]) is not ToolContext:
        raise BadTool("must name the type ToolContext for its second parameter")
    returned = hints.get("return", Any)
    taken, given = _adapter(hints[parameters[0]]), None if returned is Any else _adapter(returned)
    return Declared(
        id=tool_id,
        description=description,
        function=function,
        takes_context=len(parameters) == 2,
        input=taken,
        output=given,
        input_schema=_schema(taken, "validation"),
        output_schema=None if given is None else _schema(given, "serialization"),
        **options,
    )


def _check(tool_id: str, options: Mapping[str, Any]) -> None:
    if not ID.fullmatch(tool_id):
        raise BadTool("needs an id of at most 64 letters, digits, - and _ that begins with a letter")
    if not 0 < options["timeout"] <= 3600:
        raise BadTool("needs a timeout between 0 and 3600 seconds")
    if not 16 <= options["memory_mb"] <= 65_536:
        raise BadTool("needs a memory_mb between 16 and 65536")
    if unknown := sorted(set(options["annotations"]) - HINTS):
        raise BadTool(f"has the annotation {unknown[0]}; known ones are {', '.join(sorted(HINTS))}")


def _hints(function: Any) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as fault:
        raise BadTool(f"has types that cannot be read: {fault}") from fault


def _adapter(wanted: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(wanted)
    except (PydanticUserError, PydanticUndefinedAnnotation) as fault:
        raise BadTool(f"has a type without a schema: {str(fault).partition(chr(10))[0]}") from fault


def _schema(adapter: TypeAdapter[Any], mode: Literal["validation", "serialization"]) -> Schema:
    try:
        schema: Schema = _untitled(adapter.json_schema(mode=mode))
    except PydanticInvalidForJsonSchema as fault:
        raise BadTool(f"has a type without a schema: {str(fault).partition(chr(10))[0]}") from fault
    if schema.get("type") == "object":
        schema.setdefault("properties", {})
        schema.pop("description", None)  # the model's docstring; the tool says what it does
    return schema


def _untitled(schema: Any) -> Any:
    """Without the titles that only repeat the names."""
    if isinstance(schema, list):
        return [_untitled(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {}
    for keyword, inner in schema.items():
        if keyword in ("properties", "$defs"):
            kept[keyword] = {name: _untitled(value) for name, value in inner.items()}
        elif keyword in ("default", "examples", "const", "enum"):
            kept[keyword] = inner
        elif keyword != "title":
            kept[keyword] = _untitled(inner)
    return kept
