"""Our errors as JSON-RPC errors: the codes, their HTTP status and their headers."""

import logging
import math
import uuid

from api.exception_handler import as_platform_error
from gateway.calls import InsufficientScope, Mistake
from gateway.protocol.errors import (
    FORBIDDEN,
    INTERNAL_ERROR,
    RATE_LIMITED,
    UNAUTHENTICATED,
    UNAVAILABLE,
    ProtocolError,
    invalid_params,
)
from gateway.router import UnknownTool
from gateway.server_info import NAME
from ground.errors import PlatformError, RateLimited, Unauthenticated, Unavailable

logger = logging.getLogger(__name__)


def protocol_error(failure: BaseException) -> ProtocolError:
    """What the client reads. A failure that nobody foresaw is logged under the request id that is shown."""
    match failure:
        case ProtocolError():
            return failure
        case Mistake():
            return _mistake(failure.request_id)
        case UnknownTool():
            return invalid_params(failure.sentence)
    error = as_platform_error(failure, "GET")
    match error:
        case RateLimited():
            return _later(RATE_LIMITED, error, error.retry_after)
        case Unavailable():
            return _later(UNAVAILABLE, error, error.retry_after)
        case Unauthenticated():
            headers = {"WWW-Authenticate": f'Bearer realm="{NAME}", error="invalid_token"'}
            return ProtocolError(UNAUTHENTICATED, error.sentence, status=error.status, headers=headers)
        case InsufficientScope():
            wanted = f'error="insufficient_scope", scope="{" ".join(error.scopes)}"'
            headers = {"WWW-Authenticate": f'Bearer realm="{NAME}", {wanted}'}
            return ProtocolError(FORBIDDEN, error.sentence, status=error.status, headers=headers)
        case PlatformError():
            return invalid_params(error.sentence)
    request_id = str(uuid.uuid4())
    logger.error("Request %s failed", request_id, exc_info=failure)
    return _mistake(request_id)


def _later(code: int, error: PlatformError, seconds: float) -> ProtocolError:
    wait = max(1, math.ceil(seconds))
    headers = {"Retry-After": str(wait)}
    return ProtocolError(code, error.sentence, {"retryAfter": wait}, status=error.status, headers=headers)


def _mistake(request_id: str) -> ProtocolError:
    return ProtocolError(INTERNAL_ERROR, PlatformError.default, {"requestId": request_id}, status=200)
