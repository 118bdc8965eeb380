"""Runs in the admin: what became of each step, over time and in the drawing; cancel and resume, as the routes do."""

import hashlib
from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_POST
from unfold.decorators import display

from directory.staff import TenantScopedAdmin, acting_in, is_superuser, note_refusal, staff_principal
from durable.models import CANCELED, FAILED, PAUSED, PENDING, RUNNING, SUCCESS, SUSPENDED, WAITING
from ground.errors import PlatformError
from identity.principal import Principal
from workflows.actions import cancel, resume
from workflows.drawing import SIGNS, draw, look_of, spoken
from workflows.forms import ResumeForm
from workflows.models import WorkflowRun, WorkflowStep
from workflows.paths import names
from workflows.shapes import described, step_graph
from workflows.timeline import Folded, folded, shown_statuses, statuses_of, ticks, timeline

STATES = (RUNNING, SUSPENDED, WAITING, PAUSED, PENDING, FAILED, CANCELED, SUCCESS)
COLOURS = {
    SUCCESS: "success", FAILED: "danger", SUSPENDED: "warning", PAUSED: "warning", WAITING: "info", RUNNING: "info",
}  # fmt: skip
SHOWN_STEPS = 200
SHOWN_QUESTIONS = 5
SHOWN_SIGNS = [(look, sign) for look, sign in SIGNS.items() if sign]
VALUES = (("input", "Input"), ("result", "Result"), ("error", "Error"), ("state", "State"))


def may_write(request: HttpRequest) -> bool:
    """Staff whose role was narrowed only look."""
    principal = staff_principal(request)
    return is_superuser(request) or (principal is not None and principal.may("workflows:write"))


class StatusFilter(admin.SimpleListFilter):
    """The statuses that a run can have."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """As they are called in the API."""
        return [(status, status) for status in STATES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those of the chosen one."""
        return queryset.filter(status=self.value()) if self.value() else queryset


class OwnFilter(admin.RelatedFieldListFilter):
    """Offers only what the person may see."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[Any]:
        """As pairs of a key and a name."""
        found, principal = field.related_model.objects, staff_principal(request)
        own = found.all() if is_superuser(request) else found.visible_to(principal) if principal else found.none()
        return [(row.pk, str(row)) for row in own.order_by("name")]


@admin.register(WorkflowRun)
class WorkflowRunAdmin(TenantScopedAdmin):
    """The runs that the staff may see."""

    staff_may = frozenset({"view"})
    list_display = ("run_id", "shown_status", "workflow", "shown_starter", "started", "duration", "tenant")
    list_filter = (StatusFilter, ("workflow", OwnFilter), "tenant")
    list_select_related = ("workflow", "started_by", "tenant")
    search_fields = ("run_id", "workflow__slug", "workflow__name", "resource_id")
    ordering = ("-created_at", "-id")
    show_full_result_count = False
    fieldsets: ClassVar = (("The run itself", {"fields": (
        "run_id", "workflow", "version", "resource_id", "shown_starter", "credential_kind", "created_at", "ended_at",
        "deadline_at", "step_count", "trace_id",
    )}),)  # fmt: skip
    change_form_outer_before_template = "workflows/run.html"

    class Media:
        css: ClassVar = {"all": ("workflows/drawing.css", "workflows/run.css")}
        js: ClassVar = ("workflows/graph.js", "workflows/run.js")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request)
        principal = staff_principal(request)
        if is_superuser(request) or principal is None:
            return found
        return found.filter(pk__in=WorkflowRun.objects.visible_to(principal).values("pk"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Runs are kept as they were."""
        return False

    @display(description="status", ordering="status", label=COLOURS)  # type: ignore[untyped-decorator]
    def shown_status(self, run: WorkflowRun) -> str:
        """In the colour of its state."""
        return run.status

    @admin.display(description="started by", ordering="started_by__first_name")
    def shown_starter(self, run: WorkflowRun) -> str:
        """Who started it."""
        return run.started_by.shown_name if run.started_by else "somebody who is gone"

    @admin.display(ordering="created_at")
    def started(self, run: WorkflowRun) -> str:
        """To the second, in UTC."""
        return f"{run.created_at:%-d %b %Y, %H:%M:%S}"

    @admin.display()
    def duration(self, run: WorkflowRun) -> str:
        """From its start to its end, or until now."""
        return _lasted(run)

    def get_urls(self) -> list[URLPattern]:
        def own(view: Callable[..., HttpResponse]) -> Any:
            return self.admin_site.admin_view(view)

        return [
            path("<uuid:pk>/parts/", own(require_GET(self.parts_view)), name="workflows_workflowrun_parts"),
            path("<uuid:pk>/cancel/", own(require_POST(self.cancel_view)), name="workflows_workflowrun_cancel"),
            path("<uuid:pk>/resume/", own(require_POST(self.resume_view)), name="workflows_workflowrun_resume"),
            *super().get_urls(),
        ]

    def _own(self, request: HttpRequest, pk: Any) -> WorkflowRun:
        found = self.get_queryset(request).select_related("tenant", "workflow", "version")
        run: WorkflowRun = get_object_or_404(found, pk=pk)
        return run

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        """The page begins with what a running run changes."""
        run = self.get_object(request, object_id)
        shown = {"parts": self._parts(request, run), "signs": SHOWN_SIGNS} if run is not None else {}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def parts_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """What a page that is open replaces."""
        run = self._own(request, pk)
        response = JsonResponse({"over": run.is_over, "parts": self._parts(request, run)})
        response["Cache-Control"] = "no-store"
        return response

    def cancel_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """The run ends as soon as whoever carries it out hears of it."""
        run = self._own(request, pk)
        principal = _writer(request, run)
        try:
            cancel(run, run.workflow.slug)
        except PlatformError as refused:
            note_refusal(principal, "cancel run", refused)
            self.message_user(request, refused.sentence, messages.ERROR)
        else:
            self.message_user(request, f"Run {run.run_id} is canceled.")
        return HttpResponseRedirect(_page(run))

    def resume_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """A suspended step goes on; what is wrong with its data is said at the field."""
        run = self._own(request, pk)
        principal = _writer(request, run)
        form = ResumeForm(request.POST, paths=_suspended(run))
        if form.is_valid():
            asked = {"step": form.place(), "resume_data": form.cleaned_data["resume_data"]}
            try:
                resume(principal, run, **asked)
            except PlatformError as refused:
                note_refusal(principal, "resume run", refused)
                form.add_error("resume_data", refused.sentence)
            else:
                self.message_user(request, f"{form.cleaned_data['step']} goes on.")
                return HttpResponseRedirect(_page(run))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": f"Resume {run.run_id}",
            "run": run,
            "form": form,
        }
        return TemplateResponse(request, "workflows/resume_page.html", context)

    def _parts(self, request: HttpRequest, run: WorkflowRun) -> dict[str, dict[str, str]]:
        """The parts of the page by name: their HTML, and a key that tells whether it is another one."""
        steps = list(run.steps.order_by("position", "path").only("path", "status"))
        graph = step_graph(run.version.body)
        drawing = draw(graph, statuses_of(graph, steps, is_over=run.is_over))
        values = [folded(title, getattr(run, name)) for name, title in VALUES if getattr(run, name) is not None]
        return {
            "facts": _part("facts", {"run": run, "look": look_of(run.status), "lasted": _lasted(run)}),
            "actions": _actions(request, run),
            "graph": _part("graph", {"drawing": SafeString(drawing)}),
            "timeline": _part("timeline", _timeline(run, steps)),
            "values": _part("values", {"values": values}),
        }


def _timeline(run: WorkflowRun, steps: list[WorkflowStep]) -> dict[str, Any]:
    """As many rows as a page holds, those that need a look before those that went well."""
    chosen = sorted(steps, key=lambda step: step.status == SUCCESS)[:SHOWN_STEPS]
    rows = run.steps.filter(pk__in=[step.pk for step in chosen]).order_by("position", "path")
    return {
        "rows": timeline(rows, run.created_at, run.ended_at, shown_statuses(steps, is_over=run.is_over)),
        "ticks": ticks(run.created_at, run.ended_at),
        "more": len(steps) - len(chosen),
    }


def _actions(request: HttpRequest, run: WorkflowRun) -> dict[str, str]:
    """What can be done now; its key changes with that alone, so that nobody's writing is replaced."""
    if run.is_over or not may_write(request):
        return _part("actions", {}, key="")
    paths = _suspended(run)
    context = {
        "run": run,
        "open": True,
        "form": ResumeForm(paths=paths) if paths else None,
        "asked": [folded(f"{step.path} asks", step.suspend_payload) for step in _asking(run)],
        "schemas": _schemas(run, paths),
    }
    return _part("actions", context, request=request, key=",".join(["cancel", *paths]))


def _asking(run: WorkflowRun) -> QuerySet[Any]:
    return run.steps.filter(status=SUSPENDED).exclude(suspend_payload=None).order_by("position")[:SHOWN_QUESTIONS]


def _schemas(run: WorkflowRun, paths: list[str]) -> list[Folded]:
    """What the suspended steps take, where they say so."""
    workflow = run.workflow
    steps = described(workflow.slug, workflow.name, "", workflow.origin, run.version.body, partial=False)["allSteps"]
    wanted = dict.fromkeys(".".join(names(path)) for path in paths)
    found = [(name, steps.get(name, {}).get("resumeSchema")) for name in wanted]
    return [folded(f"{name} takes", schema) for name, schema in found if schema is not None][:SHOWN_QUESTIONS]


def _part(
    name: str, context: dict[str, Any], *, request: HttpRequest | None = None, key: str | None = None
) -> dict[str, str]:
    html = render_to_string(f"workflows/{name}.html", context, request=request)
    return {"key": hashlib.sha256(html.encode()).hexdigest()[:16] if key is None else key, "html": html}


def _writer(request: HttpRequest, run: WorkflowRun) -> Principal:
    if not may_write(request):
        raise PermissionDenied("Only who may write workflows changes runs here.")
    return acting_in(request, run.tenant)


def _suspended(run: WorkflowRun) -> list[str]:
    """The paths of the steps that wait for somebody, in their order."""
    if run.is_over:
        return []
    return list(run.steps.filter(status=SUSPENDED).order_by("position").values_list("path", flat=True)[:SHOWN_STEPS])


def _lasted(run: WorkflowRun) -> str:
    return spoken(((run.ended_at or timezone.now()) - run.created_at).total_seconds() * 1000)


def _page(run: WorkflowRun) -> str:
    return reverse("admin:workflows_workflowrun_change", args=[run.pk])
