"""What a tenant's staff decide about its MCP surface, and what router keys save."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from api.toolsets import ORDER
from credentials.models import ROUTER_TOOL
from gateway.admin_scope import TenantRows
from gateway.catalog import SESSION, clash
from gateway.context import TOKENIZER
from gateway.listing_cost import cost_of
from gateway.models import FeaturedAgent, McpSettings, RouterKey
from gateway.sources.featured import PREFIX


class McpSettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """The settings, with the toolsets to choose from."""

    toolsets = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name) for name in ORDER if name != SESSION],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=McpSettings._meta.get_field("toolsets").help_text,
    )

    class Meta:
        model = McpSettings
        fields: ClassVar = ["tenant", "enum_limit", "read_only", "toolsets", "wait_seconds"]


@admin.register(McpSettings)
class McpSettingsAdmin(TenantRows):
    """One row for each tenant that differs from the defaults."""

    form = McpSettingsForm
    list_display = ("tenant", "enum_limit", "read_only", "served", "wait_seconds")
    list_select_related = ("tenant",)

    @admin.display(description="toolsets")
    def served(self, row: McpSettings) -> str:
        """The toolsets that are served."""
        return ", ".join(row.toolsets) or "all"


@admin.register(FeaturedAgent)
class FeaturedAgentAdmin(TenantRows):
    """Agents with a tool of their own."""

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
class RouterKeyAdmin(TenantRows):
    """Router keys, to look at; keys are issued, rotated and revoked on the page of API keys."""

    list_display = ("name", "lookup", "owner", "state", "tokens", "expires_at")
    list_select_related = ("owner", "tenant")
    fields = ("tenant", "name", "lookup", "owner", "allowlist", "tokens", "expires_at")
    search_fields = ("name", "lookup")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Keys whose allowlist makes them router keys."""
        return super().get_queryset(request).filter(allowlist__contains=[ROUTER_TOOL])

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
