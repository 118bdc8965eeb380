"""The audit in the admin: read, filter, nothing else."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.decorators import display

from directory.staff import TenantScopedAdmin
from receipts.models import AuditEntry

COLOURS = {"ok": "success", "refused": "warning", "failed": "danger", "dry_run": "info"}


@admin.register(AuditEntry)
class AuditEntryAdmin(TenantScopedAdmin):
    """Every write and every refused call."""

    staff_may = frozenset({"view"})
    list_display = ("at", "shown_outcome", "operation", "tool", "credential_label", "door", "status", "duration_ms")
    list_filter = ("outcome", "door", "operation")
    search_fields = ("operation", "tool", "object_id", "credential_id", "credential_label", "request_id")
    date_hierarchy = "at"
    ordering = ("-at",)
    show_full_result_count = False

    @display(description="outcome", label=COLOURS)  # type: ignore[untyped-decorator]
    def shown_outcome(self, entry: AuditEntry) -> str:
        """How it ended."""
        return entry.outcome

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
