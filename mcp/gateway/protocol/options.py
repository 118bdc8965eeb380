"""What the engine needs to know of the installation, and nothing else of its settings."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings


@dataclass(frozen=True)
class EngineOptions:
    """`hosts` as in ALLOWED_HOSTS; `origins` are further browser origins."""

    path: str
    hosts: tuple[str, ...]
    origins: frozenset[str]
    body_bytes: int

    @classmethod
    def of_settings(cls) -> "EngineOptions":
        """As the project's settings say."""
        public = urlsplit(settings.PUBLIC_URL)
        return cls(
            path=f"{settings.API_PREFIX.rstrip('/')}/mcp",
            hosts=tuple(settings.ALLOWED_HOSTS),
            origins=frozenset({f"{public.scheme}://{public.netloc}", *settings.ALLOWED_ORIGINS}),
            body_bytes=settings.LIMIT_BODY_BYTES,
        )
