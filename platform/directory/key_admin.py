"""API keys in the admin: issue, change, rotate, revoke. A secret is shown once, in the answer that made it."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST
from unfold.decorators import display

from credentials import allowlist, known_tools
from credentials.actions import change_key, issue_key, revoke_key, rotate_key
from credentials.models import ROUTER_TOOL, ApiKey
from directory.key_forms import KeyForm
from directory.staff import TenantScopedAdmin, acting_in, is_superuser, staff_principal
from ground.errors import PlatformError
from identity.models import Membership, Tenant

POLICY = ("name", "allowlist", "scopes", "read_only", "expires_at", "calls_per_minute", "burst", "concurrent_calls")
COLOURS = {"active": "success", "expired": "warning", "revoked": "danger"}


@admin.register(ApiKey)
class ApiKeyAdmin(TenantScopedAdmin):
    """The keys of a tenant."""

    form = KeyForm
    staff_may = frozenset({"view", "add", "change"})
    list_display = ("name", "lookup", "owner", "shown_state", "reach", "last_used_at", "expires_at", "tenant")
    list_filter = ("tenant", "read_only")
    list_select_related = ("owner", "tenant")
    search_fields = ("name", "lookup")
    fieldsets: ClassVar = (
        (None, {"fields": ("tenant", "name", "owner")}),
        ("What it reaches", {"fields": ("allowlist", "router", "read_only", "scopes", "departments")}),
        ("How long, and how much", {"fields": ("expires_at", "calls_per_minute", "burst", "concurrent_calls")}),
    )
    actions: ClassVar = ["revoke_chosen"]
    change_form_outer_before_template = "directory/key_actions.html"

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Tenant staff never choose a tenant."""
        hidden = () if is_superuser(request) else ("tenant",)
        return [
            (title, {**options, "fields": [name for name in options["fields"] if name not in hidden]})
            for title, options in self.fieldsets
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return (*fixed, "owner") if obj is not None else fixed

    @display(description="state", label=COLOURS)  # type: ignore[untyped-decorator]
    def shown_state(self, key: ApiKey) -> str:
        """active, expired or revoked."""
        return key.state

    @admin.display(description="reach")
    def reach(self, key: ApiKey) -> str:
        """How many tools the list matches, and how they are shown."""
        count = len(allowlist.matching(key.allowlist, key.tenant_id))
        kind = "router, " if key.is_router else "read-only, " if key.read_only else ""
        return f"{kind}{count} tools"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or obj.state == "active")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Keys are revoked, so that what they did can still be told."""
        return False

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        principal = acting_in(request, self.tenant_of(request, obj))
        chosen = {name: form.cleaned_data[name] for name in POLICY}
        departments = list(form.cleaned_data.get("departments") or [])
        if change:
            change_key(principal, obj, departments, **chosen)
            return
        key, request.secret = issue_key(  # type: ignore[attr-defined]
            principal, owner=form.cleaned_data["owner"], departments=departments, **chosen
        )
        obj.__dict__.update(key.__dict__)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The action has saved the departments."""

    def response_add(self, request: HttpRequest, obj: ApiKey, post_url_continue: Any = None) -> HttpResponse:
        """The one page that shows the secret."""
        return self._shown_once(request, obj, request.secret, "The key is issued")  # type: ignore[attr-defined]

    def _shown_once(self, request: HttpRequest, key: ApiKey, secret: str, title: str) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": title,
            "key": key,
            "secret": secret,
            "list_url": reverse("admin:credentials_apikey_changelist"),
        }
        response = TemplateResponse(request, "directory/secret.html", context)
        response["Cache-Control"] = "no-store"
        return response

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("reach/", view(self.reach_view), name="credentials_apikey_reach"),
            path("<uuid:pk>/rotate/", view(require_POST(self.rotate_view)), name="credentials_apikey_rotate"),
            path("<uuid:pk>/revoke/", view(require_POST(self.revoke_view)), name="credentials_apikey_revoke"),
            *super().get_urls(),
        ]

    def _own(self, request: HttpRequest, pk: Any) -> ApiKey:
        key: ApiKey = get_object_or_404(self.get_queryset(request), pk=pk)
        return key

    def rotate_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """A new secret for the same policy; the old one works for another day."""
        key = self._own(request, pk)
        try:
            new, secret = rotate_key(acting_in(request, key.tenant), key)
        except PlatformError as refused:
            self.message_user(request, refused.sentence, messages.ERROR)
            return HttpResponseRedirect(reverse("admin:credentials_apikey_change", args=[pk]))
        return self._shown_once(request, new, secret, "The key is rotated")

    def revoke_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """The key ends at once."""
        key = self._own(request, pk)
        revoke_key(acting_in(request, key.tenant), key)
        self.message_user(request, f"{key.name} is revoked.")
        return HttpResponseRedirect(reverse("admin:credentials_apikey_changelist"))

    @admin.action(description="Revoke the chosen keys", permissions=["change"])
    def revoke_chosen(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """The chosen keys end at once."""
        own = self.get_queryset(request).filter(pk__in=queryset.values("pk"))
        for key in own.select_related("tenant"):
            revoke_key(acting_in(request, key.tenant), key)
        self.message_user(request, f"{len(own)} keys are revoked.")

    def reach_view(self, request: HttpRequest) -> HttpResponse:
        """What an allowlist would reach: for the form's live count."""
        tenant = self._asked_tenant(request)
        if tenant is None:
            return JsonResponse({"count": None})
        entries = [part.strip() for part in request.GET.get("entries", "").splitlines() if part.strip()]
        matching = [name for name in allowlist.matching(entries, tenant.pk) if name != ROUTER_TOOL]
        found: dict[str, Any] = {"count": len(matching), "names": matching[:30]}
        owner = Membership.objects.filter(tenant=tenant, user_id=_uuid(request.GET.get("owner"))).first()
        if owner is not None:
            counts = known_tools.token_counts(tenant.pk, owner.user_id, allowlist.normalised(entries))
            if counts is not None:
                found |= {"routed": counts[0], "listed": counts[1]}
        return JsonResponse(found)

    def _asked_tenant(self, request: HttpRequest) -> Tenant | None:
        principal = staff_principal(request)
        if is_superuser(request):
            return Tenant.objects.filter(pk=_uuid(request.GET.get("tenant"))).first()
        return Tenant.objects.filter(pk=principal.tenant_id).first() if principal else None


def _uuid(text: str | None) -> Any:

    try:
        return UUID(text or "")
    except ValueError:
        return None
