"""OpenAPI out of the operations: the same permission, inputs and answers that both doors use."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

from api.naming import camel
from api.operations import Operation
from api.schemas import Schema, object_schema

ERRORS = {
    "400": "The inputs break their schema; `issues` names each fault.",
    "401": "No valid credential.",
    "403": "A permission is missing, or the key does not open this route.",
    "404": "Missing, or not yours to see.",
    "429": "Too many calls; `Retry-After` says when to try again.",
}
ERROR: Schema = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
SECURITY: list[dict[str, list[str]]] = [{"bearerKey": []}, {"headerKey": []}]
IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 255},
    "description": "The same key with the same inputs gets the first answer again, for 24 hours.",
}
DRY_RUN = {
    "name": "dry_run",
    "in": "query",
    "schema": {"type": "boolean", "default": False},
    "description": "Answer with the changes that would be made, and make none.",
}


class OperationSchema(AutoSchema):
    """Reads `@operation`; whatever has none is left out."""

    def get_operation(self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any) -> Any:
        """The operation object of one method of one path."""
        operation_of = getattr(self.view, "operation_of", None)
        found: Operation | None = operation_of(method) if operation_of is not None else None
        if found is None:
            return None
        name = type(self.view).__name__.removesuffix("View")
        shown = {
            "operationId": camel(f"{method.lower()}_{name[:1].lower()}{name[1:]}"),
            "summary": found.summary,
            "description": _description(found),
            "tags": [path.removeprefix(path_prefix).strip("/").partition("/")[0]],
            "parameters": [*_path(path), *_query(found), *_extras(found, method)],
            "responses": _responses(found),
            "security": SECURITY,
        }
        if found.body is not None:
            content = {"application/json": {"schema": object_schema(found.body, closed=True)}}
            shown["requestBody"] = {"content": content, "required": True}
        return shown


def _description(found: Operation) -> str:
    text = (found.handler.__doc__ or "").strip().partition("\n")[2].strip()
    needed = f"Needs the permission `{found.permission}`." if found.permission else "Open to every credential."
    return f"{text}\n\n{needed}".strip()


def _path(path: str) -> list[dict[str, Any]]:
    names = [part.strip("{}") for part in path.split("/") if part.startswith("{")]
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query(found: Operation) -> list[dict[str, Any]]:
    if found.query is None:
        return []
    schema = object_schema(found.query, closed=True)
    required = schema.get("required", [])
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "schema": {key: value for key, value in inner.items() if key != "description"},
            **({"description": inner["description"]} if "description" in inner else {}),
        }
        for name, inner in schema["properties"].items()
    ]


def _extras(found: Operation, method: str) -> list[dict[str, Any]]:
    writes = method.upper() != "GET" if found.writes is None else found.writes
    return [*([IDEMPOTENCY] if writes else []), *([DRY_RUN] if found.dry_run else [])]


def _responses(found: Operation) -> dict[str, Any]:
    schema = object_schema(found.returns, closed=False) if found.returns is not None else {}
    good = {"description": "The answer.", "content": {"application/json": {"schema": schema}}}
    bad = {
        status: {"description": text, "content": {"application/json": {"schema": ERROR}}}
        for status, text in ERRORS.items()
    }
    return {str(found.status): good, **bad}
