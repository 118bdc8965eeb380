"""Tools in the admin: what they do is code; who sees them is decided here, and staff may try them."""

import json
from typing import Any, ClassVar

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods
from unfold.decorators import display
from unfold.widgets import TEXTAREA_CLASSES

from directory.staff import TenantScopedAdmin, acting_in, is_superuser, staff_principal
from identity.models import Tenant
from toolbox.actions import save_tool
from toolbox.forms import ToolForm
from toolbox.models import Tool
from toolbox.registry import declared
from toolbox.rows import ensure_rows
from toolbox.trying import tried

FACTS = ("slug", "description", "declared_in", "runs", "approval", "input_schema", "output_schema")


@admin.register(Tool)
class ToolAdmin(TenantScopedAdmin):
    """The declared tools of the tenant."""

    form = ToolForm
    staff_may = frozenset({"view", "change"})
    list_display = ("slug", "summary", "department", "shown_state", "approval", "tenant")
    list_filter = ("enabled", "tenant")
    list_select_related = ("department", "tenant")
    search_fields = ("slug",)
    readonly_fields = FACTS
    fieldsets: ClassVar = (
        ("Who sees it", {"fields": ("department", "enabled")}),
        ("What it is", {"fields": FACTS}),
    )
    change_form_outer_before_template = "toolbox/try_link.html"

    class Media:
        css: ClassVar = {"all": ["toolbox/tools.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Rows without a function are not shown; those that lack are made."""
        principal = staff_principal(request)
        if is_superuser(request):
            for tenant_id in Tenant.objects.values_list("pk", flat=True):
                ensure_rows(tenant_id)
        elif principal is not None:
            ensure_rows(principal.tenant_id)
        return super().get_queryset(request).filter(slug__in=list(declared()))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Tools come with the code."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and _may(request, "tools:write")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A row goes with its function."""
        return False

    @admin.display(description="what it does")
    def summary(self, tool: Tool) -> str:
        """The first line of the description."""
        return declared()[tool.slug].description.partition("\n")[0]

    @admin.display(description="description")
    def description(self, tool: Tool) -> str:
        """What callers read."""
        return declared()[tool.slug].description

    @admin.display(description="declared in")
    def declared_in(self, tool: Tool) -> str:
        """The function."""
        function = declared()[tool.slug].function
        return f"{function.__module__}.{function.__qualname__}"

    @admin.display(description="runs")
    def runs(self, tool: Tool) -> str:
        """Where, how long and with how much."""
        found = declared()[tool.slug]
        if found.inline:
            return f"in the server itself, for at most {found.timeout:g} seconds"
        return f"in a process of its own, for at most {found.timeout:g} seconds and with {found.memory_mb} MB"

    @display(description="approval", label={"needed": "warning"})  # type: ignore[untyped-decorator]
    def approval(self, tool: Tool) -> str:
        """Whether a person has to agree to each call."""
        return "needed" if declared()[tool.slug].requires_approval else "not needed"

    @display(description="state", label={"enabled": "success", "disabled": "danger"})  # type: ignore[untyped-decorator]
    def shown_state(self, tool: Tool) -> str:
        """enabled or disabled."""
        return "enabled" if tool.enabled else "disabled"

    @admin.display(description="input")
    def input_schema(self, tool: Tool) -> str:
        """As JSON Schema."""
        return _as_json(declared()[tool.slug].input_schema)

    @admin.display(description="output")
    def output_schema(self, tool: Tool) -> str:
        """As JSON Schema, where the function says it."""
        schema = declared()[tool.slug].output_schema
        return "any JSON" if schema is None else _as_json(schema)

    def save_model(self, request: HttpRequest, obj: Tool, form: Any, change: bool) -> None:
        save_tool(acting_in(request, obj.tenant), obj, changed=form.changed_data)

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view(require_http_methods(["GET", "POST"])(self.try_view))
        return [path("<uuid:pk>/try/", page, name="toolbox_tool_try"), *super().get_urls()]

    def try_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """A form for the input, and what came of it."""
        tool: Tool = get_object_or_404(self.get_queryset(request).select_related("tenant"), pk=pk, enabled=True)
        if not self.has_view_permission(request, tool) or not _may(request, "tools:execute"):
            raise PermissionDenied
        found, written = declared()[tool.slug], request.POST.get("data", "{}")
        outcome = {}
        if request.method == "POST":
            seconds = settings.LIMIT_CALL_SECONDS
            outcome = {"ran": True, **tried(acting_in(request, tool.tenant), tool.slug, written, seconds)}
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": f"Try {tool.slug}",
            "tool": tool,
            "description": found.description,
            "schema": _pretty(found.input_schema),
            "written": written,
            "textarea": " ".join(TEXTAREA_CLASSES),
            **outcome,
        }
        return TemplateResponse(request, "toolbox/try.html", context)


def _pretty(schema: Any) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False)


def _as_json(schema: Any) -> str:
    return format_html('<pre class="tool-json">{}</pre>', _pretty(schema))


def _may(request: HttpRequest, permission: str) -> bool:
    """Staff whose role was narrowed only look."""
    principal = staff_principal(request)
    return is_superuser(request) or (principal is not None and principal.may(permission))
