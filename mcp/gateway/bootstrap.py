"""`whoami`: who calls, and what each layer lets through, so that an empty list explains itself."""

from datetime import UTC, datetime
from typing import Any

from django.conf import settings

from gateway.server_info import NAME, PROTOCOL_VERSIONS, VERSION
from gateway.surface import Options, Surface, surface
from identity.models import Department
from identity.principal import Principal
from limits.terms import terms_of

MANY = 200  # advertised tools, beyond which a router key is the better choice

ADVICE = "So many tools cost a model many tokens; a router key shows three and reaches the same."


def whoami(principal: Principal, options: Options) -> dict[str, Any]:
    """The facts of this credential; one query besides the surface."""
    seen, terms = surface(principal, options), terms_of(principal.credential)
    return {
        "credential": _credential(principal),
        "user": {"id": str(principal.user_id), "name": principal.user_name, "email": principal.user_email},
        "role": principal.role,
        "tenant": {"id": str(principal.tenant_id), "slug": principal.tenant_slug, "name": principal.tenant_name},
        "departments": _departments(principal),
        "missions": [],
        "tools": _tools(seen),
        "limits": {
            "callsPerMinute": terms.per_minute,
            "concurrentCalls": terms.concurrent,
            "resultCharacters": settings.LIMIT_RESULT_CHARACTERS,
        },
        "server": {"name": NAME, "version": VERSION, "protocolVersions": list(PROTOCOL_VERSIONS)},
    }


def _credential(principal: Principal) -> dict[str, Any]:
    credential = principal.credential
    return {
        "kind": credential.kind,
        "id": credential.id,
        "name": credential.label,
        "router": credential.router,
        "readOnly": credential.read_only,
        "expiresAt": _moment(credential.expires_at),
    }


def _departments(principal: Principal) -> list[dict[str, Any]]:
    rows = Department.objects.filter(tenant_id=principal.tenant_id, id__in=principal.department_ids)
    named = rows.order_by("name", "id").values_list("id", "slug", "name")
    return [{"id": str(number), "slug": slug, "name": name} for number, slug, name in named]


def _tools(seen: Surface) -> dict[str, Any]:
    told = {
        "advertised": [listing.name for listing in seen.advertised],
        "reachable": len(seen.offers),
        "notAdvertised": [row._asdict() for row in seen.not_advertised],
        "hidden": dict(seen.hidden),
    }
    return {**told, "advice": ADVICE} if len(seen.advertised) > MANY else told


def _moment(at: datetime | None) -> str | None:
    """ISO-8601 in UTC with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if at else None
