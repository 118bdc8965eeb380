"""What a tenant's staff decide about its MCP surface, and what router keys save."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from credentials.models import ROUTER_TOOL
from directory.staff import TenantScopedAdmin, staff_principal
from gateway.catalog import clash
from gateway.context import TOKENIZER
from gateway.forms import FeaturedAgentForm, FeaturedWorkflowForm, McpSettingsForm
from gateway.listing_cost import cost_of
from gateway.models import Featured, FeaturedAgent, FeaturedWorkflow, McpSettings, RouterKey
from workflows.definitions import furnish


class SurfacingAdmin(TenantScopedAdmin):
    """Rows that shape surfaces."""

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """One by one: each row says that surfaces changed."""
        for row in queryset:
            row.delete()


@admin.register(McpSettings)
class McpSettingsAdmin(SurfacingAdmin):
    """One row for each tenant that differs from the defaults."""

    form = McpSettingsForm
    list_display = ("tenant", "enum_limit", "read_only", "served", "wait_seconds")
    list_select_related = ("tenant",)

    @admin.display(description="toolsets")
    def served(self, row: McpSettings) -> str:
        """The toolsets that are served."""
        return ", ".join(row.toolsets) or "all"


class FeaturedAdmin(SurfacingAdmin):
    """Objects with a tool of their own."""

    @admin.display(description="tool")
    def tool_name(self, row: Featured) -> str:
        """The name that clients see."""
        return row.tool_name

    @admin.display(description="remark")
    def remark(self, row: Featured) -> str:
        """Why the tool is not shown, or has another name than the object's id."""
        if reason := clash(row.tool_name):
            return f"Not shown: {reason}"
        if not row.row.enabled:
            return f"Not shown: the {row.featured} is disabled."
        return "" if row.tool_name == row.prefix + row.row.slug else "The name is shortened to fit every client."


@admin.register(FeaturedAgent)
class FeaturedAgentAdmin(FeaturedAdmin):
    """Agents with a tool of their own."""

    form = FeaturedAgentForm
    list_display = ("agent", "tool_name", "remark", "position", "tenant")
    list_select_related = ("agent", "tenant")
    fields = ("tenant", "agent", "position")


@admin.register(FeaturedWorkflow)
class FeaturedWorkflowAdmin(FeaturedAdmin):
    """Workflows with a tool of their own."""

    form = FeaturedWorkflowForm
    list_display = ("workflow", "tool_name", "remark", "position", "tenant")
    list_select_related = ("workflow", "tenant")
    fields = ("tenant", "workflow", "position")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """The workflows written in Python are there to choose too."""
        if db_field.name == "workflow" and (principal := staff_principal(request)) is not None:
            furnish(principal.tenant_id)
        return super().formfield_for_dbfield(db_field, request, **kwargs)


@admin.register(RouterKey)
class RouterKeyAdmin(TenantScopedAdmin):
    """Router keys, to look at; keys are issued, rotated and revoked on the page of API keys."""

    staff_may = frozenset({"view"})
    list_display = ("name", "lookup", "owner", "state", "tokens", "expires_at")
    list_select_related = ("owner", "tenant")
    fields = ("tenant", "name", "lookup", "owner", "allowlist", "tokens", "expires_at")
    search_fields = ("name", "lookup")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Keys whose allowlist makes them router keys."""
        keys: QuerySet[Any] = super().get_queryset(request).filter(allowlist__contains=[ROUTER_TOOL])
        return keys

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=f"tools/list in tokens ({TOKENIZER})")
    def tokens(self, key: RouterKey) -> str:
        """What its listing costs, and what it would cost without the router."""
        cost = cost_of(key)
        if cost is None:
            return "The owner may not come in."
        return f"{cost.routed} instead of {cost.listed} for {cost.tools} tools"
