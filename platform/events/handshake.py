"""What a websocket's opening request says: where it comes from, and what credential it shows."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.http import parse_cookie
from django.http.request import split_domain_port, validate_host

from credentials.authentication import presented
from credentials.http import IN_QUERY
from credentials.keys import PREFIX
from ground.errors import Unauthenticated
from limits.client_address import client_address


class Handshake:
    """The headers and the address of one websocket."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self._headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self._query = scope["query_string"].decode("latin-1")
        self._peer = (scope.get("client") or ("",))[0] or ""

    @property
    def address(self) -> str:
        """The caller's address, believing no proxy but the trusted ones."""
        return client_address(self._peer, self._headers.get("x-forwarded-for"))

    @property
    def is_for_us(self) -> bool:
        """Whether the server answers to the Host that was asked for."""
        domain, _ = split_domain_port(self._headers.get("host", ""))
        return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)

    def key(self) -> str | None:
        """The key in the headers, None when there is none; Unauthenticated for one in the address."""
        if any(name in IN_QUERY or value.startswith(PREFIX) for name, value in parse_qsl(self._query)):
            raise Unauthenticated("A key belongs in the Authorization header or in the first message")
        authorization, x_api_key = self._headers.get("authorization"), self._headers.get("x-api-key")
        if not authorization and not x_api_key:
            return None
        return presented(authorization, x_api_key)

    @property
    def cursor(self) -> str | None:
        """From where a client goes on that shows its credential in the headers; a cursor is no secret."""
        return dict(parse_qsl(self._query, keep_blank_values=True)).get("cursor")

    @property
    def session_key(self) -> str | None:
        """The session of a page of ours. A browser sends the cookie for any page, so the Origin must be our own."""
        if not self._is_from_our_page():
            return None
        return parse_cookie(self._headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME)

    def _is_from_our_page(self) -> bool:
        origin = self._headers.get("origin", "")
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        own = urlsplit(settings.PUBLIC_URL)
        if (parts.scheme, parts.netloc) == (own.scheme, own.netloc):
            return True
        return parts.scheme in ("http", "https") and parts.netloc == self._headers.get("host")
