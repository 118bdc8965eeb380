"""Filters of the list of keys."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from credentials.models import ROUTER_TOOL


class StateFilter(admin.SimpleListFilter):
    """active, expired, revoked."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, state) for state in ("active", "expired", "revoked")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        over, revoked = Q(expires_at__lte=timezone.now()), ~Q(revoked_at=None)
        states = {"active": ~over & ~revoked, "expired": over & ~revoked, "revoked": revoked}
        rule = states.get(self.value() or "")
        return queryset if rule is None else queryset.filter(rule)


class KindFilter(admin.SimpleListFilter):
    """router, read-only."""

    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("router", "router"), ("read-only", "read-only")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "router":
            return queryset.filter(allowlist__contains=[ROUTER_TOOL])
        return queryset.filter(read_only=True) if self.value() == "read-only" else queryset
