"""JSON-RPC errors with their HTTP status; the codes of the platform lie outside the range that MCP reserves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
RESOURCE_NOT_FOUND = -32002  # older revisions only
UNAUTHENTICATED = -31401
FORBIDDEN = -31403
TOO_LARGE = -31413
RATE_LIMITED = -31429
UNAVAILABLE = -31503

# The HTTP status of an error of a dispatched request, in the modern generation; older ones answer 200.
MODERN_STATUS = {
    INVALID_REQUEST: 400,
    METHOD_NOT_FOUND: 404,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
}


@dataclass
class ProtocolError(Exception):
    """An error answer. `status` None: as the generation says."""

    code: int
    message: str
    data: Mapping[str, Any] | None = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code} {self.message}"

    def body(self) -> dict[str, Any]:
        """The `error` member."""
        shown: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            shown["data"] = dict(self.data)
        return shown


def invalid_request(message: str) -> ProtocolError:
    """The body is JSON, but no JSON-RPC request."""
    return ProtocolError(INVALID_REQUEST, message, status=400)


def invalid_params(message: str, data: Mapping[str, Any] | None = None) -> ProtocolError:
    """The parameters are not of the method's form."""
    return ProtocolError(INVALID_PARAMS, message, data)


def header_mismatch(message: str) -> ProtocolError:
    """A header is missing, malformed, repeated, or says something else than the body."""
    return ProtocolError(HEADER_MISMATCH, message, status=400)


def method_not_found(method: str) -> ProtocolError:
    """Nobody here knows this method."""
    return ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method[:100]}")


def unsupported_version(requested: str, supported: tuple[str, ...]) -> ProtocolError:
    """The request is of a revision that is not spoken."""
    data = {"supported": list(supported), "requested": requested[:100]}
    return ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data, status=400)
