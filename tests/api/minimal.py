"""The smallest input that a schema of ours lets through."""

from typing import Any

from api.operations import Operation
from api.schemas import object_schema


def value(schema: dict[str, Any]) -> Any:
    """One value of this schema."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return {name: value(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            return [value(schema["items"])] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
    return "x" * schema.get("minLength", 1)


def inputs(operation: Operation) -> tuple[dict[str, str], Any]:
    """Query and body of an operation, with what is required alone."""
    query = value(object_schema(operation.query, closed=True)) if operation.query else {}
    body = value(object_schema(operation.body, closed=True)) if operation.body else None
    return {name: str(found) for name, found in query.items()}, body
