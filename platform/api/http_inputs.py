"""What an HTTP request holds for an operation: who asks how, and the inputs without what only rehearsals need."""

import uuid
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from api.calls import Circumstances
from api.serializers import Flag
from ground.errors import InvalidInput


def circumstances(request: Request) -> Circumstances:
    """What the headers tell; the body is not touched before the caller is known."""
    return Circumstances(
        door="http", request_id=str(uuid.uuid4()), idempotency_key=request.headers.get("Idempotency-Key")
    )


def asks_for_rehearsal(request: Request) -> bool:
    """Whether `dry_run` in the query, or else in the body, is true."""
    where, asked = "query parameters", request.query_params.get("dry_run")
    if asked is None and request.method != "GET" and isinstance(request.data, dict):
        where, asked = "request body", request.data.get("dry_run")
    if asked is None:
        return False
    try:
        return Flag().to_internal_value(asked)
    except ValidationError:
        raise InvalidInput(f"Invalid {where}", [{"field": "dry_run", "message": "must be true or false"}]) from None


def without_rehearsal(request: Request) -> tuple[dict[str, Any], Any]:
    """Query and body without the key that asks for a dry run; repeated query parameters become lists."""
    query = {
        name: values[0] if len(values) == 1 else values
        for name, values in request.query_params.lists()
        if name != "dry_run"
    }
    body = request.data if request.method != "GET" else None
    if isinstance(body, dict) and "dry_run" in body:
        body = {name: value for name, value in body.items() if name != "dry_run"}
    return query, body
