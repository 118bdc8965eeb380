"""Agents in the admin: the staff of a tenant write down what its agents are told, and who sees them."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from agents.actions import delete_agent, save_agent
from agents.forms import AgentForm
from agents.models import Agent
from directory.staff import TenantScopedAdmin, acting_in, is_superuser, staff_principal


@admin.register(Agent)
class AgentAdmin(TenantScopedAdmin):
    """The agents that the staff may see; a private one shows itself to its author and the owner."""

    form = AgentForm
    list_display = ("name", "slug", "model", "department", "shown_visibility", "shown_state", "updated_at", "tenant")
    list_filter = ("enabled", "visibility", "source", "tenant")
    list_select_related = ("department", "tenant")
    search_fields = ("slug", "name", "description")
    prepopulated_fields: ClassVar = {"slug": ("name",)}
    fieldsets: ClassVar = (
        (None, {"fields": ("tenant", "name", "slug", "description", "tags")}),
        ("What it is told", {"fields": ("model", "instructions", "tools", "memory")}),
        ("Who sees it", {"fields": ("department", "visibility", "enabled")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request)
        principal = staff_principal(request)
        if is_superuser(request) or principal is None:
            return found
        return found.filter(pk__in=Agent.objects.visible_to(principal).values("pk"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and _may_write(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and _may_write(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and _may_write(request)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Tenant staff never choose a tenant."""
        hidden = () if is_superuser(request) else ("tenant",)
        return [
            (title, {**options, "fields": [name for name in options["fields"] if name not in hidden]})
            for title, options in self.fieldsets
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Callers know an agent by its id, so that stays."""
        fixed = super().get_readonly_fields(request, obj)
        return (*fixed, "slug") if obj is not None else fixed

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return {} if obj is not None else self.prepopulated_fields

    @display(description="visibility", label={"private": "warning"})  # type: ignore[untyped-decorator]
    def shown_visibility(self, agent: Agent) -> str:
        """public or private."""
        return agent.visibility

    @display(description="state", label={"enabled": "success", "disabled": "danger"})  # type: ignore[untyped-decorator]
    def shown_state(self, agent: Agent) -> str:
        """enabled or disabled."""
        return "enabled" if agent.enabled else "disabled"

    def save_model(self, request: HttpRequest, obj: Agent, form: Any, change: bool) -> None:
        save_agent(acting_in(request, self.tenant_of(request, obj)), obj, changed=form.changed_data)

    def delete_model(self, request: HttpRequest, obj: Agent) -> None:
        delete_agent(acting_in(request, obj.tenant), obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
        for agent in queryset.select_related("tenant"):
            self.delete_model(request, agent)


def _may_write(request: HttpRequest) -> bool:
    """Staff whose role was narrowed only look."""
    principal = staff_principal(request)
    return is_superuser(request) or (principal is not None and principal.may("agents:write"))
