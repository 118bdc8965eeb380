"""The addresses of a running platform, as people and clients use them."""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True)
class Addresses:
    """Without a slash at the end, except the admin's."""

    base: str
    mcp: str
    admin: str


def addresses() -> Addresses:
    """From PUBLIC_URL and API_PREFIX."""
    base = settings.PUBLIC_URL
    return Addresses(base, f"{base}{settings.API_PREFIX.rstrip('/')}/mcp", f"{base}/admin/")
