"""What a tenant's staff decide about its MCP surface, and what router keys save."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from credentials.models import ROUTER_TOOL
from directory.staff import TenantScopedAdmin
from gateway.catalog import clash
from gateway.context import TOKENIZER
from gateway.forms import FeaturedAgentForm, McpSettingsForm
from gateway.listing_cost import cost_of
from gateway.models import FeaturedAgent, McpSettings, RouterKey
from gateway.sources.featured import PREFIX


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


@admin.register(FeaturedAgent)
class FeaturedAgentAdmin(SurfacingAdmin):
    """Agents with a tool of their own."""

    form = FeaturedAgentForm
    list_display = ("agent", "tool_name", "remark", "position", "tenant")
    list_select_related = ("agent", "tenant")
    fields = ("tenant", "agent", "position")

    @admin.display(description="tool")
    def tool_name(self, row: FeaturedAgent) -> str:
        """The name that clients see."""
        return row.tool_name

    @admin.display(description="remark")
    def remark(self, row: FeaturedAgent) -> str:
        """Why the tool is not shown, or has another name than the agent's id."""
        if reason := clash(row.tool_name):
            return f"Not shown: {reason}"
        if not row.agent.enabled:
            return "Not shown: the agent is disabled."
        return "" if row.tool_name == PREFIX + row.agent.slug else "The name is shortened to fit every client."


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
