"""Errors as HTTP answers, made in one place."""

import logging
import uuid
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import Error as DatabaseFailure
from django.http import Http404
from psycopg_pool import PoolTimeout
from rest_framework import exceptions
from rest_framework.response import Response

from api.database_errors import explained
from api.serializers import issues_of
from ground.errors import (
    InvalidInput,
    NotFound,
    PlatformError,
    RateLimited,
    TooLarge,
    Unauthenticated,
    Unavailable,
)

logger = logging.getLogger(__name__)


def answer(failure: Exception, context: dict[str, Any]) -> Response:
    """The response for any exception of a view; an unknown one is logged and answered with a request id."""
    method = getattr(context.get("request"), "method", "POST") or "POST"
    error = as_platform_error(failure, method)
    if error is None:
        request_id = str(uuid.uuid4())
        logger.error("Request %s failed", request_id, exc_info=failure)
        return Response({"error": PlatformError.default, "requestId": request_id}, status=500)
    return Response(error.body(), status=error.status, headers=headers_of(error))


def as_platform_error(failure: BaseException, method: str) -> PlatformError | None:
    """The failure as one of our errors; None when it is our own fault."""
    match failure:
        case PlatformError():
            return failure
        case exceptions.ValidationError():
            return InvalidInput(issues=issues_of(failure.detail))
        case exceptions.ParseError():
            return InvalidInput(issues=[{"field": "body", "message": str(failure.detail)}])
        case exceptions.AuthenticationFailed() | exceptions.NotAuthenticated():
            return Unauthenticated()
        case Http404():
            return NotFound()
        case RequestDataTooBig():
            return TooLarge()
        case exceptions.APIException():
            return _with_status(failure)
        case DatabaseFailure() | PoolTimeout():
            return explained(failure, method)
    return None


def _with_status(failure: exceptions.APIException) -> PlatformError:
    kind = type("Refused", (PlatformError,), {"status": failure.status_code})
    error: PlatformError = kind(str(failure.detail))
    return error


def headers_of(error: PlatformError) -> dict[str, str]:
    """Retry-After, the rate headers and the challenge, where the error calls for them."""
    headers: dict[str, str] = {}
    if isinstance(error, RateLimited | Unavailable):
        headers["Retry-After"] = str(max(1, round(error.retry_after)))
    if isinstance(error, RateLimited) and error.limit:
        headers |= {
            "X-RateLimit-Limit": str(error.limit),
            "X-RateLimit-Remaining": str(error.remaining),
            "X-RateLimit-Reset": str(max(0, round(error.reset))),
        }
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    return headers
