"""A tool's input as an object of named arguments, which is what models and MCP clients send."""

from typing import Any

from toolbox.declaring import Declared, Schema

WRAPPED = "data"  # the argument that holds an input that is no object

# What the root of an MCP tool's schema may not have.
_COMPOSED = frozenset({"oneOf", "anyOf", "allOf", "not", "$ref"})


def takes_an_object(tool: Declared) -> bool:
    """Whether the input's own fields are the arguments."""
    return tool.input_schema.get("type") == "object" and not _COMPOSED & set(tool.input_schema)


def arguments_schema(tool: Declared) -> Schema:
    """The schema of the arguments: the tool's own, or an object around it."""
    if takes_an_object(tool):
        return tool.input_schema
    inner = dict(tool.input_schema)
    definitions = inner.pop("$defs", None)
    inner.setdefault("description", "The input.")
    schema: Schema = {
        "type": "object",
        "properties": {WRAPPED: inner},
        "required": [WRAPPED],
        "additionalProperties": False,
    }
    return {**schema, "$defs": definitions} if definitions else schema


def data_of(tool: Declared, arguments: dict[str, Any]) -> Any:
    """The input out of the arguments."""
    return arguments if takes_an_object(tool) else arguments[WRAPPED]
