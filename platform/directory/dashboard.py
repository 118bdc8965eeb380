"""The admin's first page: what there is, what ends soon, and what was refused."""

from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Q, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from credentials.models import ApiKey
from directory.staff import is_superuser, staff_memberships, staff_principal
from receipts.models import AuditEntry

# What is counted: (model, filter, how it is called).
COUNTED: tuple[tuple[str, Q, str], ...] = (
    ("credentials.apikey", Q(revoked_at=None), "keys that open something"),
    ("identity.membership", Q(is_active=True, user__is_active=True), "active members"),
    ("agents.agent", Q(enabled=True), "agents that can be called"),
    ("identity.department", Q(), "departments"),
)
SOON, LATELY, MOST_ROWS = timedelta(days=14), timedelta(days=1), 8


def show(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the facts to the first page's context."""
    principal = staff_principal(request)
    others = [
        membership.tenant
        for membership in staff_memberships(request.user)
        if principal is None or membership.tenant_id != principal.tenant_id
    ]
    everywhere = is_superuser(request)
    whose = "All organisations" if everywhere else principal.tenant_name if principal else "Welcome"
    return {
        **context,
        "title": whose,
        "others": [] if everywhere else others,
        "nothing": not everywhere and principal is None and not others,
        **(_facts(request) if everywhere or principal is not None else {}),
    }


def _facts(request: HttpRequest) -> dict[str, Any]:
    refused = _rows(request, "receipts.auditentry").filter(outcome="refused", at__gte=timezone.now() - LATELY)
    return {
        "figures": [figure for label, rule, title in COUNTED if (figure := _figure(request, label, rule, title))],
        "ending": _ending(request),
        "refused": refused.order_by("-at", "-id")[:MOST_ROWS],
        "refused_count": refused.aggregate(count=Sum("attempts"))["count"] or 0,
        "audit_url": _url(AuditEntry, "changelist") + "?outcome__exact=refused",
        "keys_url": _url(ApiKey, "changelist"),
        "issue_url": _url(ApiKey, "add"),
    }


def _rows(request: HttpRequest, label: str) -> Any:
    model = apps.get_model(label)
    return admin.site._registry[model].get_queryset(request)


def _figure(request: HttpRequest, label: str, rule: Q, title: str) -> dict[str, Any] | None:
    if not apps.is_installed(label.split(".")[0]):
        return None
    model: Any = apps.get_model(label)
    if label == "credentials.apikey":
        rule &= Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return {"count": _rows(request, label).filter(rule).count(), "title": title, "url": _url(model, "changelist")}


def _ending(request: HttpRequest) -> list[ApiKey]:
    now = timezone.now()
    keys = _rows(request, "credentials.apikey").filter(revoked_at=None, replaced_by=None, expires_at__gt=now)
    return list(
        keys.filter(expires_at__lte=now + SOON).select_related("owner").order_by("expires_at", "id")[:MOST_ROWS]
    )


def _url(model: Any, page: str) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}")
