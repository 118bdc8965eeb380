"""What of a tool is the same for every caller: made once from its spec and the route that it wraps."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from api.calls import Call, Circumstances
from api.dispatch import send
from api.doors import is_read_only
from api.naming import camel
from api.operations import Operation
from api.replies import Pending, Reply
from api.routes import Route, registered, view_of
from api.schemas import field_schema, object_schema
from api.toolsets import ToolSpec, specs
from gateway.offers import Arguments, Offer, Schema, compiled
from identity.principal import Principal

DRY_RUN = "dry_run"
CONFIRM = ("confirm", "state")

# What an output schema keeps: limits and texts are for inputs.
_SHAPE = ("type", "properties", "items", "required", "enum", "additionalProperties")

_DRY_RUN: Schema = {
    "type": "boolean",
    "default": False,
    "description": "True: validate and show what would change, without saving anything.",
}
_PREVIEW: Schema = {
    DRY_RUN: {"dryRun": {"type": "boolean"}},
    "confirm": {"confirmRequired": {"type": "boolean"}, "state": {"type": "string"}},
}


class Inputs(NamedTuple):
    """Where a route takes its inputs: names as callers know them."""

    path: Mapping[str, str]  # outside name → name in the pattern
    query: Mapping[str, Any]  # name → serializer field
    body: Mapping[str, Any]


def operation_of(route: Route) -> Operation:
    """The operation behind a route."""
    found = view_of(route.name).operation_of(route.method)
    if found is None:
        raise ValueError(f"{route.method} {route.name} is not an operation.")
    return found


@lru_cache(maxsize=1024)
def inputs_of(route: Route) -> Inputs:
    """The inputs of a route by their place."""
    operation = operation_of(route)
    parts = registered()[route.name].pattern.split("/")
    path = [part.strip("<>").rpartition(":")[2] for part in parts if part.startswith("<")]
    return Inputs(
        {camel(name): name for name in path},
        operation.query.shared().fields if operation.query else {},
        operation.body.shared().fields if operation.body else {},
    )


def template(spec: ToolSpec, toolset: str) -> Offer:
    """The offer of a tool before anything is known of the caller."""
    return _static(spec.name, toolset) if specs().get(spec.name) is spec else _made(spec, toolset)


@lru_cache(maxsize=1024)
def _static(name: str, toolset: str) -> Offer:
    return _made(specs()[name], toolset)


def _made(spec: ToolSpec, toolset: str) -> Offer:
    input_schema, reads = _input_schema(spec), is_read_only(spec)
    return Offer(
        name=spec.name,
        toolset=toolset,
        title=spec.title,
        description=spec.summary,
        input_schema=input_schema,
        validator=compiled(input_schema),
        run=lambda principal, arguments, circumstances: run(spec, principal, arguments, circumstances),
        writes=not reads,
        annotations={
            "readOnlyHint": reads,
            "destructiveHint": spec.destructive and not reads,
            "idempotentHint": reads or spec.idempotent,
            "openWorldHint": spec.open_world,
        },
        output_schema=_output_schema(spec),
        shape=spec.shape,
        text=spec.text,
        keywords=spec.keywords,
        aliases=spec.aliases,
    )


def run(spec: ToolSpec, principal: Principal, arguments: Arguments, circumstances: Circumstances) -> Reply | Pending:
    """The tool's call of its route, in-process, with the same checks as over HTTP."""
    if spec.dry_run:
        arguments = dict(arguments)
        circumstances = replace(circumstances, dry_run=bool(arguments.pop(DRY_RUN, False)))
    call = spec.plan(arguments) if spec.plan else _planned(spec.route, arguments)
    return send(principal, replace(call, circumstances=circumstances))


def _planned(route: Route, arguments: Arguments) -> Call:
    inputs = inputs_of(route)
    path = {inputs.path[name]: value for name, value in arguments.items() if name in inputs.path}
    query = {name: value for name, value in arguments.items() if name in inputs.query and name not in inputs.path}
    body = {name: value for name, value in arguments.items() if name not in inputs.path and name not in inputs.query}
    return Call(route.name, route.method, path, query, body if inputs.body else None)


def _input_schema(spec: ToolSpec) -> Schema:
    schema = _taken(spec) if spec.arguments is None else object_schema(spec.arguments, closed=True)
    if spec.dry_run:
        schema["properties"][DRY_RUN] = _DRY_RUN
    return schema


def _taken(spec: ToolSpec) -> Schema:
    inputs = inputs_of(spec.route)
    names = [*spec.takes, *(name for name in CONFIRM if spec.confirm and name not in spec.takes)]
    properties: Schema = {}
    required = []
    for taken in names:
        name = taken.removesuffix("*")
        if name in inputs.path:
            properties[name] = {"type": "string", "minLength": 1, "description": f"Id of the {_kind(name)}."}
        elif (field := inputs.query.get(name) or inputs.body.get(name)) is not None:
            properties[name] = field_schema(field)
        else:
            raise ValueError(f"The tool {spec.name} takes {name}, which {spec.route} does not have.")
        if taken.endswith("*") or name in inputs.path or (field is not None and field.required):
            required.append(name)
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def _kind(name: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name.removesuffix("Id"))


def _output_schema(spec: ToolSpec) -> Schema | None:
    """The answer's shape alone: every word of it costs tokens in every listing.

    A tool that may preview answers one of two shapes, so nothing in it is required.
    """
    if spec.returns is None:
        return None
    schema: Schema = _lean(object_schema(spec.returns, closed=False))
    previews = {name for name, present in ((DRY_RUN, spec.dry_run), ("confirm", spec.confirm)) if present}
    if previews:
        schema.pop("required", None)
        for name in sorted(previews):
            schema["properties"] |= _PREVIEW[name]
        schema["properties"]["would"] = {"type": "object"}
    return schema


def _lean(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    kept = {keyword: schema[keyword] for keyword in _SHAPE if keyword in schema}
    if "properties" in kept:
        kept["properties"] = {name: _lean(inner) for name, inner in kept["properties"].items()}
    return {
        keyword: _lean(inner) if keyword in ("items", "additionalProperties") else inner
        for keyword, inner in kept.items()
    }
