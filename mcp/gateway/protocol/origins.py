"""Host and Origin: which names this server answers to, and which browser pages may speak to it."""

from functools import lru_cache
from urllib.parse import urlsplit

from django.http.request import split_domain_port, validate_host

from gateway.protocol.errors import INVALID_REQUEST, ProtocolError
from gateway.protocol.headers import Headers
from gateway.protocol.options import EngineOptions

ALLOWED_HEADERS = (
    "Authorization, X-API-Key, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, "
    "Last-Event-ID, Idempotency-Key"
)
EXPOSED_HEADERS = "Mcp-Session-Id, WWW-Authenticate, Retry-After"


@lru_cache(maxsize=1024)
def _host_is_allowed(host: str, allowed: tuple[str, ...]) -> bool:
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, allowed)


@lru_cache(maxsize=1024)
def _origin_is_allowed(origin: str, host: str, allowed: frozenset[str]) -> bool:
    if origin in allowed:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:  # such as an address in brackets that never close
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host


def check(headers: Headers, options: EngineOptions) -> str | None:
    """The allowed Origin of the request, None when it has none; raises for a foreign Host or Origin."""
    host = headers.get("host", "")
    if not _host_is_allowed(host, options.hosts):
        raise ProtocolError(INVALID_REQUEST, "This server does not answer to that Host", status=421)
    origin = headers.get("origin")
    if origin is not None and not _origin_is_allowed(origin, host, options.origins):
        raise ProtocolError(INVALID_REQUEST, "This Origin may not call the server", status=403)
    return origin


def cors(origin: str | None) -> list[tuple[bytes, bytes]]:
    """What a browser needs to hand an answer to its page."""
    if origin is None:
        return []
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", EXPOSED_HEADERS.encode()),
        (b"vary", b"Origin"),
    ]


def preflight(requested: str) -> list[tuple[bytes, bytes]]:
    """The answer to OPTIONS; `Mcp-Param-…` headers are allowed by the names that the browser asks for."""
    extra = [name.strip() for name in requested.split(",") if name.strip().lower().startswith("mcp-param-")]
    allowed = ", ".join([ALLOWED_HEADERS, *(name for name in extra if name.replace("-", "").isalnum())])
    return [
        (b"access-control-allow-methods", b"POST, DELETE, OPTIONS"),
        (b"access-control-allow-headers", allowed.encode("latin-1")),
        (b"access-control-max-age", b"600"),
    ]
