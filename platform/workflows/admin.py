"""Workflows in the admin: their graphs drawn, the stored ones written and checked, all shown or hidden."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import JSONObject
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from directory.staff import TenantScopedAdmin, acting_in, is_superuser, staff_principal
from ground.errors import PlatformError
from workflows.definitions import composed, furnish
from workflows.drawing import draw
from workflows.editing import delete_workflow, save_workflow
from workflows.forms import WorkflowForm
from workflows.models import CODE, STORED, Workflow, WorkflowRun
from workflows.run_admin import STATES, OwnFilter, may_write
from workflows.shapes import step_graph
from workflows.timeline import folded

FROM_CODE = ("name", "slug", "description")  # what Python says
SHOWN_VERSIONS = 20
IN_FULL = 100_000  # characters of a schema


@admin.register(Workflow)
class WorkflowAdmin(TenantScopedAdmin):
    """The workflows that the staff may see; those written in Python can be shown to a department, or disabled."""

    form = WorkflowForm
    list_display = (
        "name", "slug", "shown_origin", "department", "shown_state", "version_count", "runs_by_status", "tenant",
    )  # fmt: skip
    list_filter = ("enabled", "origin", ("department", OwnFilter), "tenant")
    list_select_related = ("department", "tenant")
    search_fields = ("slug", "name", "description")
    prepopulated_fields: ClassVar = {"slug": ("name",)}
    change_form_outer_before_template = "workflows/workflow.html"

    class Media:
        css: ClassVar = {"all": ("workflows/drawing.css", "workflows/run.css")}
        js: ClassVar = ("workflows/graph.js",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request)
        principal = staff_principal(request)
        if not is_superuser(request) and principal is not None:
            furnish(principal.tenant_id)
            found = found.filter(pk__in=Workflow.objects.visible_to(principal).values("pk"))
        runs = (
            WorkflowRun.objects.filter(workflow=OuterRef("pk")).order_by().values("status").annotate(count=Count("pk"))
        )
        counted: QuerySet[Any] = found.annotate(
            version_total=Count("versions"),
            run_counts=ArraySubquery(runs.values(pair=JSONObject(status="status", count="count"))),
        )
        return counted

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and may_write(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and may_write(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What Python says comes back by itself, and runs keep what they carried out; both can be disabled."""
        removable = obj is None or (obj.origin == STORED and not obj.runs.exists())
        return removable and super().has_delete_permission(request, obj) and may_write(request)

    def get_actions(self, request: HttpRequest) -> Any:
        """Removed one by one, each with a look at what it is."""
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = ["name", "slug", "description", "department", "enabled"]
        if is_superuser(request):
            fields = ["tenant", *fields]
        found: list[Any] = [(None, {"fields": fields})]
        if obj is None or obj.origin == STORED:
            found.append(("Graph", {"fields": ["graph"]}))
        if obj is not None:
            found += [("What it takes", {"fields": ["input_schema"]}), ("Versions", {"fields": ["shown_versions"]})]
        return found

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Callers know a workflow by its id, so that stays."""
        fixed = super().get_readonly_fields(request, obj)
        if obj is None:
            return fixed
        return (*fixed, *(FROM_CODE if obj.origin == CODE else ("slug",)), "input_schema", "shown_versions")

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return {} if obj is not None else self.prepopulated_fields

    @display(description="origin", label={"code": "info"})  # type: ignore[untyped-decorator]
    def shown_origin(self, workflow: Workflow) -> str:
        """Written in Python, or stored."""
        return "code" if workflow.origin == CODE else "stored"

    @display(description="state", label={"enabled": "success", "disabled": "danger"})  # type: ignore[untyped-decorator]
    def shown_state(self, workflow: Workflow) -> str:
        """enabled or disabled."""
        return "enabled" if workflow.enabled else "disabled"

    @admin.display(description="versions", ordering="version_total")
    def version_count(self, workflow: Any) -> int:
        """How many versions runs were pinned to."""
        return int(workflow.version_total)

    @admin.display(description="runs")
    def runs_by_status(self, workflow: Any) -> SafeString:
        """How many there are of each status, each leading to them."""
        counts = {found["status"]: found["count"] for found in workflow.run_counts}
        page = reverse("admin:workflows_workflowrun_changelist")
        rows = [
            (f"{page}?workflow__id__exact={workflow.pk}&status={status}", counts[status], status)
            for status in STATES
            if status in counts
        ]
        return (
            format_html_join(" ", '<a class="workflow-count" href="{}">{} {}</a>', rows) if rows else SafeString("none")
        )

    @admin.display(description="input schema")
    def input_schema(self, workflow: Workflow) -> SafeString:
        """As callers see it."""
        try:
            schema = composed(workflow).get("inputSchema")
        except PlatformError as refused:
            return format_html("{}", refused.sentence)
        return _json(schema) if schema is not None else SafeString("Takes anything.")

    @admin.display(description="versions")
    def shown_versions(self, workflow: Workflow) -> SafeString:
        """The newest ones, with how many runs each has had."""
        runs = (
            WorkflowRun.objects.filter(version=OuterRef("pk")).order_by().values("version").annotate(count=Count("pk"))
        )
        versions = workflow.versions.annotate(runs=Subquery(runs.values("count"))).order_by("-number")[:SHOWN_VERSIONS]
        return SafeString(render_to_string("workflows/versions.html", {"versions": list(versions)}))

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        """The page begins with the drawing of what a run would carry out now."""
        found = self.get_object(request, object_id)
        shown = _drawn(found) if found is not None else {}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def save_model(self, request: HttpRequest, obj: Workflow, form: Any, change: bool) -> None:
        save_workflow(acting_in(request, self.tenant_of(request, obj)), obj, changed=form.changed_data)

    def delete_model(self, request: HttpRequest, obj: Workflow) -> None:
        delete_workflow(acting_in(request, obj.tenant), obj)


def _json(value: Any) -> SafeString:
    shown = folded("", value, IN_FULL)
    return format_html('<pre class="workflow-schema">{}{}</pre>', shown.text, "…" if shown.is_cut else "")


def _drawn(workflow: Workflow) -> dict[str, Any]:
    try:
        return {"drawing": SafeString(draw(step_graph(composed(workflow))))}
    except PlatformError as refused:
        return {"undrawn": refused.sentence}
