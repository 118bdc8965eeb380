"""Who calls a plain HTTP route: an API key, or the session of a person who browses the docs."""

from typing import Any

from django.conf import settings
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from credentials.authentication import authenticate
from credentials.sessions import current_membership
from ground.errors import Unauthenticated
from identity.principal import SESSION, Credential, Principal
from identity.rights import principal_of
from limits.addresses import charge_failure
from limits.client_address import client_address
from receipts import audit

# Names under which keys turn up in addresses; a credential belongs in a header.
IN_QUERY = frozenset({"apiKey", "api_key", "access_token", "key", "token"})


def address_of(request: Any) -> str:
    """The caller's address, believing no proxy but the trusted ones."""
    return client_address(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR"))


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>` or `X-API-Key: <key>`."""

    def authenticate(self, request: Request) -> tuple[Any, Principal] | None:
        """(None, principal), or None when no key is shown; Unauthenticated for a bad one."""
        authorization, x_api_key = request.headers.get("Authorization"), request.headers.get("X-API-Key")
        in_query = not IN_QUERY.isdisjoint(request.query_params) and _looks_like_key(request)
        if not authorization and not x_api_key and not in_query:
            return None
        try:
            return None, authenticate(authorization, x_api_key, in_query=in_query)
        except Unauthenticated:
            address = address_of(request)
            charge_failure(address)
            audit.record_refusal(None, door="http", operation="authenticate", status=401, address=address)
            raise

    def authenticate_header(self, request: Request) -> str:
        """The challenge of a 401."""
        return "Bearer"


def _looks_like_key(request: Request) -> bool:
    return any(value.startswith("mcp") for name in IN_QUERY for value in request.query_params.getlist(name))


class StaffSession(SessionAuthentication):
    """The session of the admin, for the browsable docs: own origin only, and unsafe methods need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """(user, principal) for signed-in staff who work in one tenant."""
        if (found := super().authenticate(request)) is None:
            return None
        user = found[0]
        if not user.is_staff:
            return None
        _check_origin(request)
        membership = current_membership(request._request.session, user)
        if membership is None:
            return None
        return user, principal_of(membership.tenant_id, user.pk, Credential(SESSION, str(user.pk), user.username))


def _check_origin(request: Request) -> None:
    """A cookie travels with requests that other pages make; those say where they come from."""
    origin = request.headers.get("Origin")
    own = f"{request.scheme}://{request.get_host()}"
    if origin is not None and origin not in (own, settings.PUBLIC_URL):
        raise Unauthenticated
