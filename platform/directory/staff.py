"""Staff in the admin: tenant staff see their tenant alone; superusers see all."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelect2Widget

from credentials.sessions import CHOSEN, memberships_of
from directory import choices
from directory.acting import session_of, superuser_in
from ground.errors import Forbidden, PlatformError, Unauthenticated
from identity.models import Membership, Tenant, User
from identity.permissions import ADMIN, OWNER
from identity.principal import Principal
from identity.rights import principal_of
from receipts import audit

# Whoever runs a tenant in the admin.
STAFF_ROLES = (OWNER, ADMIN)


def staff_memberships(user: Any) -> list[Membership]:
    """The memberships with which this user runs tenants, by the tenants' names."""
    if not user.is_active or not user.is_staff:
        return []
    return [membership for membership in memberships_of(user) if membership.role.slug in STAFF_ROLES]


def staff_principal(request: HttpRequest) -> Principal | None:
    """The principal of tenant staff: owner or admin of the chosen tenant, or of the only one. None for others."""
    if not hasattr(request, "_staff_principal"):
        request._staff_principal = _principal(request)  # type: ignore[attr-defined]
    found: Principal | None = request._staff_principal  # type: ignore[attr-defined]
    return found


def _principal(request: HttpRequest) -> Principal | None:
    user: Any = request.user
    found = staff_memberships(user)
    if len(found) > 1:
        found = [membership for membership in found if str(membership.tenant_id) == request.session.get(CHOSEN)]
    if not found:
        return None
    try:
        return principal_of(found[0].tenant_id, user.pk, session_of(user))
    except Unauthenticated:
        return None


def acting_in(request: HttpRequest, tenant: Tenant) -> Principal:
    """Who acts in a tenant: a superuser with an owner's rights there, or its staff."""
    if is_superuser(request):
        return superuser_in(tenant, request.user)  # type: ignore[arg-type]
    found = staff_principal(request)
    if found is None or found.tenant_id != tenant.pk:
        raise PermissionDenied("Only superusers act in other tenants.")
    return found


def is_superuser(request: HttpRequest) -> bool:
    """Whether an active superuser asks."""
    return bool(request.user.is_active and request.user.is_superuser)


def note_refusal(principal: Principal | None, operation: str, refused: PlatformError) -> None:
    """Write down what somebody tried who may not."""
    if isinstance(refused, Forbidden):
        audit.record_refusal(principal, door="admin", operation=operation, status=refused.status)


class TenantScopedAdmin(ModelAdmin):
    """The base of admin pages for what belongs to a tenant. `staff_may`: what tenant staff may do with it."""

    tenant_path: ClassVar[str] = "tenant_id"
    staff_may: ClassVar[frozenset[str]] = frozenset({"view", "add", "change", "delete"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request)
        if is_superuser(request):
            return found
        principal = staff_principal(request)
        return found.filter(**{self.tenant_path: principal.tenant_id}) if principal else found.none()

    def _allows(self, request: HttpRequest, verb: str, obj: Any) -> bool:
        if is_superuser(request):
            return True
        principal = staff_principal(request)
        if principal is None or verb not in self.staff_may:
            return False
        return obj is None or _tenant_of(obj, self.tenant_path) == principal.tenant_id

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._allows(request, "view", None)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._allows(request, "view", obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._allows(request, "add", None)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._allows(request, "change", obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._allows(request, "delete", obj)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return _own(request, super().get_fields(request, obj))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Tenant staff never choose a tenant."""
        return [
            (title, {**options, "fields": _own(request, options["fields"])})
            for title, options in super().get_fieldsets(request, obj)
        ]

    def get_list_filter(self, request: HttpRequest) -> Any:
        return _own(request, super().get_list_filter(request))

    def get_list_display(self, request: HttpRequest) -> Any:
        return _own(request, super().get_list_display(request))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Nothing moves to another tenant."""
        fixed = tuple(super().get_readonly_fields(request, obj))
        return (*fixed, "tenant") if obj is not None and is_superuser(request) else fixed

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        request._edited = obj  # type: ignore[attr-defined]  # the fields of the form are made without it
        form = super().get_form(request, obj, change=change, **kwargs)
        form.request = request
        return form

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.related_model is User:  # there may be many
            kwargs.setdefault("widget", UnfoldAdminSelect2Widget)
            kwargs.setdefault("empty_label", "Select value")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs.setdefault("widget", UnfoldAdminCheckboxSelectMultipleWidget)
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only what belongs to the tenant can be chosen."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        tenant_id = self._chosen_tenant(request)
        if tenant_id is None and not is_superuser(request):
            return choices.nothing(field)
        return choices.narrow(field, tenant_id)

    def _chosen_tenant(self, request: HttpRequest) -> UUID | None:
        if is_superuser(request):
            edited = getattr(request, "_edited", None)
            return None if edited is None else _tenant_of(edited, self.tenant_path)
        principal = staff_principal(request)
        return principal.tenant_id if principal else None

    def tenant_of(self, request: HttpRequest, obj: Any) -> Tenant:
        """The tenant that an object belongs to, or will belong to."""
        principal = staff_principal(request)
        if not is_superuser(request) and principal is not None:
            obj.tenant_id = principal.tenant_id
        tenant: Tenant = obj.tenant
        return tenant

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """What an action refuses is said on the page that asked for it."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except PlatformError as refused:
            return self._refused(request, refused)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """What an action refuses is said on the page that asked for it."""
        try:
            return super().delete_view(request, *args, **kwargs)
        except PlatformError as refused:
            return self._refused(request, refused)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """What an action refuses is said on the page that asked for it."""
        try:
            return super().changelist_view(request, *args, **kwargs)
        except PlatformError as refused:
            return self._refused(request, refused)

    def _refused(self, request: HttpRequest, refused: PlatformError) -> HttpResponse:
        note_refusal(staff_principal(request), f"change {self.model._meta.model_name}", refused)
        self.message_user(request, refused.sentence, messages.ERROR)
        path = request.path
        return HttpResponseRedirect(path.removesuffix("delete/") + "change/" if path.endswith("/delete/") else path)


def _own(request: HttpRequest, names: Any) -> list[Any]:
    return [name for name in names if name != "tenant" or is_superuser(request)]


def _tenant_of(obj: Any, path: str) -> Any:
    for part in path.removesuffix("_id").split("__"):
        obj = getattr(obj, part)
    return obj.pk if isinstance(obj, Tenant) else obj
