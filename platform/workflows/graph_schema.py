"""JSON Schema of a graph as it is written down and stored."""

from typing import Any

from workflows.ids import ID_CHARACTERS

MOST_STEPS, MOST_DEPTH = 500, 8
MOST_CONCURRENCY, MOST_RETRIES = 50, 20

_ID = {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": ID_CHARACTERS}
_STEP_FIELDS: dict[str, Any] = {
    "id": _ID,
    "description": {"type": "string", "maxLength": 1000},
    "input": {"description": "A mapping: what the step gets instead of the output before it."},
    "retries": {"type": "integer", "minimum": 0, "maximum": MOST_RETRIES},
    "retryDelay": {"type": "number", "minimum": 0, "maximum": 86400, "description": "Seconds."},
    "timeout": {"type": "number", "exclusiveMinimum": 0, "maximum": 86400, "description": "Seconds."},
    "function": {"type": "string", "minLength": 1, "maxLength": 300},
    "agent": {"type": "string", "minLength": 1, "maxLength": ID_CHARACTERS},
    "tool": {"type": "string", "minLength": 1, "maxLength": ID_CHARACTERS},
}


def _entry(kind: str, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"type": {"const": kind}, **properties},
        "required": ["type", *required],
        "additionalProperties": False,
    }


_ENTRY = {"$ref": "#/$defs/entry"}
_LEAF = {"oneOf": [{"$ref": "#/$defs/step"}, {"$ref": "#/$defs/workflow"}]}
_MANY = {"type": "array", "items": _ENTRY, "minItems": 1, "maxItems": MOST_STEPS}
_SINGLE = {"type": "array", "items": _LEAF, "minItems": 1, "maxItems": 100}

_KINDS: dict[str, dict[str, Any]] = {
    "step": _entry(
        "step", ("step",),
        step={"type": "object", "properties": _STEP_FIELDS, "required": ["id"], "additionalProperties": False},
    ),
    "workflow": _entry("workflow", ("id", "workflowId"), id=_ID, workflowId=_ID, input={}),
    "parallel": _entry("parallel", ("steps",), steps=_SINGLE),
    "conditional": _entry(
        "conditional", ("steps", "conditions"), id=_ID, steps=_SINGLE,
        conditions={"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": 100},
    ),
    "foreach": _entry(
        "foreach", ("step",), step=_LEAF,
        opts={
            "type": "object",
            "properties": {"concurrency": {"type": "integer", "minimum": 1, "maximum": MOST_CONCURRENCY}},
            "additionalProperties": False,
        },
    ),
    "loop": _entry(
        "loop", ("step", "condition", "loopType"), step=_LEAF, condition={"type": "object"},
        loopType={"enum": ["dowhile", "dountil"]},
    ),
    "sleep": _entry("sleep", ("duration",), id=_ID, duration={"description": "Milliseconds, or a mapping to them."}),
    "sleepUntil": _entry("sleepUntil", ("date",), id=_ID, date={"description": "ISO date, or {mapping} to one."}),
    "mapping": _entry("mapping", ("mapping",), id=_ID, mapping={}),
}  # fmt: skip

_SCHEMA = {"type": ["object", "boolean"]}

GRAPH_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "inputSchema": _SCHEMA,
        "outputSchema": _SCHEMA,
        "steps": _MANY,
        "retries": {
            "type": "object",
            "properties": {
                "attempts": {"type": "integer", "minimum": 0, "maximum": MOST_RETRIES},
                "delay": {"type": "number", "minimum": 0, "maximum": 86_400_000, "description": "Milliseconds."},
            },
            "additionalProperties": False,
        },
        "deadline": {"type": "number", "exclusiveMinimum": 0, "maximum": 31_536_000, "description": "Seconds."},
    },
    "required": ["steps"],
    "additionalProperties": False,
    "$defs": {
        "entry": {"type": "object", "required": ["type"], "properties": {"type": {"enum": sorted(_KINDS)}}},
        **_KINDS,
    },
}
KIND_SCHEMAS = {name: {**schema, "$defs": GRAPH_SCHEMA["$defs"]} for name, schema in _KINDS.items()}
