"""The audit in the admin: read, filter, nothing else."""

from typing import Any, ClassVar

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
    list_display = ("when", "shown_outcome", "what", "shown_object", "who", "door", "status", "tenant")
    list_filter = ("outcome", "door", "operation", "tenant")
    list_select_related = ("tenant",)
    search_fields = ("operation", "tool", "object_id", "credential_id", "credential_label", "request_id")
    date_hierarchy = "at"
    ordering = ("-at", "-id")
    show_full_result_count = False
    fieldsets: ClassVar = (
        ("What", {"fields": ("at", "outcome", "status", "operation", "tool", "shown_object", "changed", "dry_run")}),
        ("Who", {"fields": ("tenant", "user_id", "credential_kind", "credential_label", "credential_id", "door")}),
        ("More", {"fields": ("attempts", "duration_ms", "request_id", "trace_id")}),
    )

    @admin.display(ordering="at")
    def when(self, entry: AuditEntry) -> str:
        """To the second, in UTC."""
        return f"{entry.at:%-d %b %Y, %H:%M:%S}"

    @display(description="outcome", label=COLOURS)  # type: ignore[untyped-decorator]
    def shown_outcome(self, entry: AuditEntry) -> str:
        """How it ended."""
        return entry.outcome

    @admin.display(ordering="operation")
    def what(self, entry: AuditEntry) -> str:
        """The tool, or the operation behind it."""
        times = f" ({entry.attempts} times)" if entry.attempts > 1 else ""
        return (entry.tool or entry.operation) + times

    @admin.display(description="object")
    def shown_object(self, entry: AuditEntry) -> str:
        """Its kind and id."""
        return f"{entry.object_type} {entry.object_id}".strip()

    @admin.display(ordering="credential_label")
    def who(self, entry: AuditEntry) -> str:
        """The credential's name."""
        return entry.credential_label or "no known credential"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
