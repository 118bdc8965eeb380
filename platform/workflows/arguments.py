"""A workflow's input as an object of named arguments, which is what MCP clients send."""

import re
from collections.abc import Iterator
from typing import Any

from workflows import code
from workflows.checking import schema_fault
from workflows.definitions import schema_faults
from workflows.models import CODE, Workflow

Schema = dict[str, Any]

INPUT = "inputData"  # the argument that holds an input that is no plain object

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# What the root of a tool's schema may not have.
_COMPOSED = frozenset({"oneOf", "anyOf", "allOf", "not", "$ref", "$dynamicRef"})
# What makes references mean another place when a schema is put into one of ours.
_ANCHORED = frozenset({"$id", "$dynamicRef"})


def input_schema(workflow: Workflow) -> Any:
    """The schema of the input as it is written; None where there is none, or none that can be read."""
    made = code.find(workflow.slug) if workflow.origin == CODE else None
    written = made.written() if made is not None else workflow.graph
    found = written.get("inputSchema") if isinstance(written, dict) else None
    return None if found is None or schema_fault(found) else found


def takes_an_object(schema: Any) -> bool:
    """Whether the input's own fields are the arguments: it is a plain object, and every client takes their names."""
    return (
        isinstance(schema, dict)
        and schema.get("type") == "object"
        and not _COMPOSED & schema.keys()
        and all(map(_NAME.fullmatch, schema.get("properties", {})))
    )


def arguments_schema(schema: Any) -> Schema:
    """The schema of the arguments: the input's own, or a plain object with the input in it."""
    if takes_an_object(schema):
        return dict(schema)
    inner = dict(schema) if isinstance(schema, dict) and _can_move(schema) else {}
    definitions = inner.pop("$defs", None)
    inner.pop("$schema", None)
    inner.setdefault("description", "The input; workflow_get shows what it has to be.")
    arguments: Schema = {"type": "object", "properties": {INPUT: inner}}
    if schema is not None and schema_faults(schema, None):
        arguments["required"] = [INPUT]
    if definitions:
        arguments["$defs"] = definitions
    return {**arguments, "additionalProperties": False}


def _can_move(schema: Schema) -> bool:
    """Whether every reference still leads there when the definitions are moved to another root."""
    return all(
        not _ANCHORED & part.keys() and str(part.get("$ref", "#/$defs/")).startswith("#/$defs/")
        for part in _objects(schema)
    )


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _objects(inner)
