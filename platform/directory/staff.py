"""Staff in the admin: tenant staff see their tenant alone; superusers see all."""

from typing import Any, ClassVar

from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.forms import ModelChoiceField
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from ground.errors import Unauthenticated
from identity.models import Department, Membership, Role, Tenant, User
from identity.permissions import ADMIN, OWNER
from identity.principal import SESSION, Credential, Principal
from identity.rights import principal_of

# Whoever runs a tenant in the admin.
STAFF_ROLES = (OWNER, ADMIN)


def staff_principal(request: HttpRequest) -> Principal | None:
    """The principal of tenant staff: owner or admin of exactly one tenant. None for everybody else."""
    if not hasattr(request, "_staff_principal"):
        request._staff_principal = _principal(request.user)  # type: ignore[attr-defined]
    found: Principal | None = request._staff_principal  # type: ignore[attr-defined]
    return found


def _principal(user: Any) -> Principal | None:
    if not user.is_active or not user.is_staff:
        return None
    memberships = Membership.objects.filter(user=user, is_active=True, role__slug__in=STAFF_ROLES)[:2]
    if len(memberships) != 1:
        return None
    try:
        return principal_of(memberships[0].tenant_id, user.pk, Credential(SESSION, str(user.pk), user.username))
    except Unauthenticated:
        return None


def acting_in(request: HttpRequest, tenant: Tenant) -> Principal:
    """Who acts in a tenant: its staff, or a superuser with an owner's rights there."""
    found = staff_principal(request)
    if found is not None and found.tenant_id == tenant.pk:
        return found
    user: Any = request.user
    if not user.is_superuser:
        raise PermissionDenied("Only superusers act in other tenants.")
    return Principal(
        tenant_id=tenant.pk,
        tenant_slug=tenant.slug,
        tenant_name=tenant.name,
        user_id=user.pk,
        user_name=user.shown_name,
        user_email=user.email,
        membership_id=user.pk,
        role=OWNER,
        permissions=frozenset({"*"}),
        department_ids=frozenset(),
        credential=Credential(SESSION, str(user.pk), user.username),
    )


def is_superuser(request: HttpRequest) -> bool:
    """Whether an active superuser asks."""
    return bool(request.user.is_active and request.user.is_superuser)


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
        """Tenant staff never choose a tenant."""
        shown = list(super().get_fields(request, obj))
        return shown if is_superuser(request) else [name for name in shown if name != "tenant"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Nothing moves to another tenant."""
        fixed = tuple(super().get_readonly_fields(request, obj))
        return (*fixed, "tenant") if obj is not None and is_superuser(request) else fixed

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        form.request = request
        return form

    def get_list_filter(self, request: HttpRequest) -> Any:
        shown = list(super().get_list_filter(request))
        return shown if is_superuser(request) else [name for name in shown if name != "tenant"]

    def get_list_display(self, request: HttpRequest) -> Any:
        shown = list(super().get_list_display(request))
        return shown if is_superuser(request) else [name for name in shown if name != "tenant"]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        return _narrowed(field, request)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_manytomany(db_field, request, **kwargs)
        return _narrowed(field, request)

    def tenant_of(self, request: HttpRequest, obj: Any) -> Tenant:
        """The tenant that an object belongs to, or will belong to."""
        principal = staff_principal(request)
        if not is_superuser(request) and principal is not None:
            obj.tenant_id = principal.tenant_id
        tenant: Tenant = obj.tenant
        return tenant


def _tenant_of(obj: Any, path: str) -> Any:
    for part in path.removesuffix("_id").split("__"):
        obj = getattr(obj, part)
    return obj.pk if isinstance(obj, Tenant) else obj


def _narrowed(field: Any, request: HttpRequest) -> Any:
    """Only what belongs to the staff's tenant can be chosen."""
    principal = staff_principal(request)
    if is_superuser(request) or not isinstance(field, ModelChoiceField):
        return field
    found: QuerySet[Any] = field.queryset  # type: ignore[assignment]
    field.queryset = _own(found, found.model, principal)
    return field


def _own(found: QuerySet[Any], model: type[Model], principal: Principal | None) -> QuerySet[Any]:
    if principal is None:
        return found.none()
    if model is User:
        return found.filter(memberships__tenant_id=principal.tenant_id)
    if model is Tenant:
        return found.filter(pk=principal.tenant_id)
    if model in (Role, Department) or any(field.name == "tenant" for field in model._meta.get_fields()):
        return found.filter(tenant_id=principal.tenant_id)
    return found
