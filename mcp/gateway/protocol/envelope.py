"""JSON-RPC in and out."""

from dataclasses import dataclass
from typing import Any, TypeGuard

import orjson

from gateway.protocol.errors import PARSE_ERROR, TOO_LARGE, ProtocolError, invalid_params, invalid_request
from ground import strict_json
from ground.errors import InvalidInput, TooLarge

RequestId = str | int


@dataclass(frozen=True, slots=True)
class Message:
    """A request, a notification (`id` None), or the answer to a request of ours (`method` None)."""

    id: RequestId | None
    method: str | None
    params: dict[str, Any]
    answer: dict[str, Any] | None = None

    @property
    def meta(self) -> dict[str, Any]:
        """The request's `_meta`; empty when there is none."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


def parse(body: bytes) -> Any:
    """The JSON value of a body."""
    try:
        return strict_json.loads(body)
    except InvalidInput as fault:
        issue = fault.issues[0]["message"] if fault.issues else fault.sentence
        raise ProtocolError(PARSE_ERROR, f"The body is not valid JSON: {issue}", status=400) from None
    except TooLarge as fault:
        raise ProtocolError(TOO_LARGE, fault.sentence, status=413) from None


def is_id(value: Any) -> TypeGuard[RequestId]:
    """Whether a value may be the id of a request; true and false are no numbers here."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def id_of(value: Any) -> RequestId | None:
    """The id to echo in an error, when the message has one that may be echoed."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if is_id(found) else None


def read(value: Any) -> Message:
    """The message that a JSON value is."""
    if isinstance(value, list):
        raise invalid_request("Batches are not supported; send one message in a request")
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise invalid_request('A message is an object with "jsonrpc": "2.0"')
    request_id = id_of(value)
    if "id" in value and request_id is None:
        raise invalid_request("The id must be a string or a whole number")
    if "method" not in value and ("result" in value or "error" in value):
        if request_id is None:
            raise invalid_request("An answer names the id of its request")
        return Message(request_id, None, {}, value)
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str):
        raise invalid_request("The method must be a string")
    if params is None and "params" not in value:
        params = {}
    if not isinstance(params, dict):
        raise invalid_params("params must be an object")
    if "_meta" in params and not isinstance(params["_meta"], dict):
        raise invalid_params("_meta must be an object")
    return Message(request_id, method, params)


def result(request_id: RequestId | None, value: bytes) -> bytes:
    """A result message around serialised JSON."""
    return b'{"jsonrpc":"2.0","id":' + orjson.dumps(request_id) + b',"result":' + value + b"}"


def error(request_id: RequestId | None, failure: ProtocolError) -> bytes:
    """An error message."""
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, "error": failure.body()})


def notification(method: str, params: dict[str, Any]) -> bytes:
    """A notification."""
    return orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params})


def request(request_id: RequestId, method: str, params: dict[str, Any]) -> bytes:
    """A request of ours to the client."""
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})


def extended(value: bytes, members: bytes) -> bytes:
    """A serialised object with further members (`"a":1,"b":2`) at its end."""
    return (value[:-1] + b"," if len(value) > 2 else b"{") + members + b"}"
