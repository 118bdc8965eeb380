"""A tenant's settings of its MCP surface, with the server's defaults where it has none."""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

from gateway.models import ENUM_LIMIT, McpSettings


@dataclass(frozen=True, slots=True)
class Conf:
    """What a surface is built with; `toolsets` None means all."""

    enum_limit: int
    read_only: bool
    toolsets: frozenset[str] | None
    wait_seconds: float


def conf_of(tenant_id: UUID) -> Conf:
    """One query; read when a surface is built and kept with it."""
    row = McpSettings.objects.filter(tenant_id=tenant_id).first()
    if row is None:
        return Conf(ENUM_LIMIT, False, None, settings.WAIT_SECONDS)
    return Conf(
        row.enum_limit,
        row.read_only,
        frozenset(row.toolsets) if row.toolsets else None,
        row.wait_seconds or settings.WAIT_SECONDS,
    )
