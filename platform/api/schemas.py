"""JSON Schema 2020-12 out of serializers: the one source for OpenAPI, tool inputs and tool outputs."""

from typing import Any

from rest_framework import fields, serializers

from api.serializers import CamelSerializer

Schema = dict[str, Any]


def object_schema(serializer: type[CamelSerializer], *, closed: bool) -> Schema:
    """The schema of a serializer: an input refuses unknown keys (`closed`), an answer may grow."""
    return _object(serializer.shared(), closed)


def field_schema(field: fields.Field[Any, Any, Any, Any], *, closed: bool = True) -> Schema:
    """The schema of one field: type, limits, default and help text."""
    schema = _bare(field, closed)
    if field.help_text:
        schema["description"] = str(field.help_text)
    if field.default not in (fields.empty, None) and not callable(field.default):
        schema["default"] = field.default
    if field.allow_null and "type" in schema:
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    return schema


def _object(serializer: Any, closed: bool) -> Schema:
    inputs = {
        name: field
        for name, field in serializer.fields.items()
        if not (field.read_only if closed else field.write_only)
    }
    schema: Schema = {
        "type": "object",
        "properties": {name: field_schema(field, closed=closed) for name, field in inputs.items()},
    }
    if required := [name for name, field in inputs.items() if field.required]:
        schema["required"] = required
    if closed and not serializer.open_keys:
        schema["additionalProperties"] = False
    return schema


def _bare(field: Any, closed: bool) -> Schema:
    match field:
        case serializers.ListSerializer():
            return _limited({"type": "array", "items": _object(field.child, closed)}, field)
        case serializers.BaseSerializer():
            return _object(field, closed)
        case fields.ListField():
            return _limited({"type": "array", "items": field_schema(field.child, closed=closed)}, field)
        case fields.DictField():
            child = {} if isinstance(field.child, fields._UnvalidatedField) else field_schema(field.child)
            return {"type": "object", **({"additionalProperties": child} if child else {})}
        case fields.JSONField():
            return {}
        case _:
            return _scalar(field)


def _scalar(field: Any) -> Schema:
    match field:
        case fields.ChoiceField():
            return {"type": "string", "enum": list(field.choices)}
        case fields.BooleanField():
            return {"type": "boolean"}
        case fields.IntegerField():
            return _limited({"type": "integer"}, field)
        case fields.FloatField():
            return _limited({"type": "number"}, field)
        case fields.DateTimeField():
            return {"type": "string", "format": "date-time"}
        case fields.UUIDField():
            return {"type": "string", "format": "uuid"}
        case _:
            return _limited({"type": "string"}, field)


_LIMITS = (
    ("min_value", "minimum"),
    ("max_value", "maximum"),
    ("min_length", "minLength"),
    ("max_length", "maxLength"),
)


def _limited(schema: Schema, field: Any) -> Schema:
    array = schema["type"] == "array"
    for attribute, keyword in _LIMITS:
        if (limit := getattr(field, attribute, None)) is not None:
            schema[keyword.replace("Length", "Items") if array else keyword] = limit
    if schema["type"] == "string" and not getattr(field, "allow_blank", True) and "minLength" not in schema:
        schema["minLength"] = 1
    return schema
