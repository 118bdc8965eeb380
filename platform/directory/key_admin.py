"""API keys in the admin: issue, change, rotate, revoke. A secret is shown once, in the answer that made it."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET, require_POST
from unfold.decorators import display
from unfold.widgets import BUTTON_CLASSES, TEXTAREA_CLASSES

from credentials import allowlist
from credentials.actions import change_key, issue_key, revoke_key, rotate_key
from credentials.models import ApiKey
from directory.key_filters import KindFilter, StateFilter
from directory.key_forms import KeyForm
from directory.key_reach import reach_of
from directory.staff import TenantScopedAdmin, acting_in, is_superuser, note_refusal, staff_principal
from ground.errors import PlatformError

POLICY = ("name", "allowlist", "scopes", "read_only", "expires_at", "calls_per_minute", "burst", "concurrent_calls")
COLOURS = {"active": "success", "expired": "warning", "revoked": "danger"}
FACTS = ("lookup", "shown_state", "created_at", "shown_issuer", "last_used_at", "replaced_by")
Issued = list[tuple[ApiKey, str]]


@admin.register(ApiKey)
class ApiKeyAdmin(TenantScopedAdmin):
    """The keys of a tenant."""

    form = KeyForm
    staff_may = frozenset({"view", "add", "change"})
    list_display = ("name", "lookup", "shown_owner", "shown_state", "reach", "last_used", "expires", "tenant")
    list_filter = (StateFilter, KindFilter, "tenant")
    list_select_related = ("owner", "tenant")
    search_fields = ("name", "lookup")
    fieldsets: ClassVar = (
        (None, {"fields": ("tenant", "name", "owner")}),
        ("What it reaches", {"fields": ("allowlist", "router", "read_only", "scopes", "departments")}),
        ("How long, and how much", {"fields": ("expires_at", "calls_per_minute", "burst", "concurrent_calls")}),
    )
    actions: ClassVar = ["rotate_chosen", "revoke_chosen"]
    change_form_outer_before_template = "directory/key_actions.html"

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """What there is to know of a key that exists stands first."""
        found = list(super().get_fieldsets(request, obj))
        if obj is None:
            return found
        for _, options in found:
            options["fields"] = [{"owner": "shown_owner"}.get(name, name) for name in options["fields"]]
            if obj.state != "active":  # its policy is shown as it is stored
                options["fields"] = [name for name in options["fields"] if name != "router"]
        return [*found, ("The key itself", {"fields": FACTS})]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return (*fixed, "shown_owner", *FACTS) if obj is not None else fixed

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        if "allowlist" in form.base_fields:
            form.base_fields["allowlist"].widget.about(obj, self._chosen_tenant(request))
        return form

    @display(description="state", label=COLOURS)  # type: ignore[untyped-decorator]
    def shown_state(self, key: ApiKey) -> str:
        """active, expired or revoked."""
        return key.state

    @admin.display(description="owner", ordering="owner__first_name")
    def shown_owner(self, key: ApiKey) -> str:
        """Whose rights it has."""
        return key.owner.shown_name

    @admin.display(description="issued by")
    def shown_issuer(self, key: ApiKey) -> str:
        """Who made it."""
        return key.created_by.shown_name if key.created_by else "somebody who is gone"

    @admin.display(description="reach")
    def reach(self, key: ApiKey) -> str:
        """How many tools the list matches, and how they are shown."""
        kind = "router, " if key.is_router else "read-only, " if key.read_only else ""
        return f"{kind}{len(allowlist.matching(key.allowlist, key.tenant_id))} tools"

    @admin.display(description="last used", ordering="last_used_at")
    def last_used(self, key: ApiKey) -> str:
        """To the minute."""
        return f"{key.last_used_at:%-d %b %Y, %H:%M}" if key.last_used_at else "never"

    @admin.display(description="expires", ordering="expires_at")
    def expires(self, key: ApiKey) -> str:
        """The day."""
        return f"{key.expires_at:%-d %b %Y}" if key.expires_at else "never"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or obj.state == "active")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Keys are revoked, so that what they did can still be told."""
        return False

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> Any:
        """A new key leads to its secret, and nowhere else."""
        only_save = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **only_save, "title": "Issue an API key"})

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        principal = acting_in(request, self.tenant_of(request, obj))
        chosen = {name: form.cleaned_data[name] for name in POLICY}
        departments = list(form.cleaned_data["departments"])
        if change:
            change_key(principal, obj, departments, **chosen)
            return
        issued = issue_key(principal, owner=form.cleaned_data["owner"], departments=departments, **chosen)
        request._issued = [issued]  # type: ignore[attr-defined]  # for the one page that shows it
        obj.__dict__.update(issued[0].__dict__)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The action has saved the departments."""

    def response_add(self, request: HttpRequest, obj: ApiKey, post_url_continue: Any = None) -> HttpResponse:
        """The one page that shows the secret."""
        return self._shown_once(request, request._issued, "The key is issued")  # type: ignore[attr-defined]

    def _shown_once(self, request: HttpRequest, issued: Issued, title: str) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": title,
            "issued": issued,
            "list_url": reverse("admin:credentials_apikey_changelist"),
            "mcp_url": f"{settings.PUBLIC_URL}{settings.API_PREFIX}/mcp",
            "button": " ".join(BUTTON_CLASSES),
            "textarea": " ".join(TEXTAREA_CLASSES),
        }
        response = TemplateResponse(request, "directory/secret.html", context)
        response["Cache-Control"] = "no-store"
        return response

    def get_urls(self) -> list[URLPattern]:
        def own(view: Callable[..., HttpResponse]) -> Any:
            return self.admin_site.admin_view(view)

        return [
            path("reach/", own(require_GET(self.reach_view)), name="credentials_apikey_reach"),
            path("<uuid:pk>/rotate/", own(require_POST(self.rotate_view)), name="credentials_apikey_rotate"),
            path("<uuid:pk>/revoke/", own(require_POST(self.revoke_view)), name="credentials_apikey_revoke"),
            *super().get_urls(),
        ]

    def _own(self, request: HttpRequest, pk: Any) -> ApiKey:
        key: ApiKey = get_object_or_404(self.get_queryset(request).select_related("tenant", "owner"), pk=pk)
        return key

    def rotate_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """A new secret for the same policy; the old one works for another day."""
        issued = self._rotated(request, [self._own(request, pk)])
        if not issued:
            return HttpResponseRedirect(reverse("admin:credentials_apikey_change", args=[pk]))
        return self._shown_once(request, issued, "The key is rotated")

    def revoke_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """The key ends at once."""
        key = self._own(request, pk)
        revoke_key(acting_in(request, key.tenant), key)
        self.message_user(request, f"{key.name} is revoked.")
        return HttpResponseRedirect(reverse("admin:credentials_apikey_changelist"))

    @admin.action(description="Rotate the chosen keys", permissions=["change"])
    def rotate_chosen(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> HttpResponse | None:
        """New secrets, on one page, once."""
        issued = self._rotated(request, self._again(request, queryset))
        return self._shown_once(request, issued, "The keys are rotated") if issued else None

    @admin.action(description="Revoke the chosen keys", permissions=["change"])
    def revoke_chosen(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """The chosen keys end at once."""
        own = self._again(request, queryset)
        for key in own:
            revoke_key(acting_in(request, key.tenant), key)
        self.message_user(request, f"{len(own)} keys are revoked.")

    def _again(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> list[ApiKey]:
        """The chosen rows, asked for once more among the own ones."""
        own = self.get_queryset(request).filter(pk__in=queryset.values("pk"))
        return list(own.select_related("tenant", "owner"))

    def _rotated(self, request: HttpRequest, keys: list[ApiKey]) -> Issued:
        """New secrets for those keys that the person may rotate; the others are named."""
        issued: Issued = []
        for key in keys:
            principal = acting_in(request, key.tenant)
            try:
                issued.append(rotate_key(principal, key))
            except PlatformError as refused:
                note_refusal(principal, "rotate key", refused)
                self.message_user(request, f"{key.name}: {refused.sentence}", messages.ERROR)
        return issued

    def reach_view(self, request: HttpRequest) -> HttpResponse:
        """What an allowlist would reach: for the form's live count."""
        principal = staff_principal(request)
        if principal is None and not is_superuser(request):
            raise PermissionDenied
        tenant_id = request.GET.get("tenant") if is_superuser(request) or principal is None else principal.tenant_id
        return JsonResponse(reach_of(tenant_id, request.GET.get("owner"), request.GET.get("entries", "")))
