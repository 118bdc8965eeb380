"""Admin pages over rows of tenants: superusers see all, a tenant's owner and admins see theirs."""

from typing import Any
from uuid import UUID

from django.db.models import ForeignKey, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from identity.models import Membership, Tenant
from identity.permissions import ADMIN, OWNER


class TenantRows(ModelAdmin):
    """Rows with a `tenant`; whatever else a row refers to is chosen within the same tenants."""

    def tenant_ids(self, request: HttpRequest) -> frozenset[UUID] | None:
        """The tenants whose rows this person may see and change; None: all."""
        if request.user.is_superuser:
            return None
        own = Membership.objects.filter(
            user_id=str(request.user.pk), is_active=True, tenant__is_active=True, role__slug__in=(OWNER, ADMIN)
        )
        return frozenset(own.values_list("tenant_id", flat=True))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The rows of those tenants."""
        rows: QuerySet[Any] = super().get_queryset(request)
        tenant_ids = self.tenant_ids(request)
        return rows if tenant_ids is None else rows.filter(tenant_id__in=tenant_ids)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """One by one: each row says that surfaces changed."""
        for row in queryset:
            row.delete()

    def formfield_for_foreignkey(self, db_field: ForeignKey[Any, Any], request: HttpRequest, **options: Any) -> Any:
        """Choices within those tenants."""
        tenant_ids = self.tenant_ids(request)
        if tenant_ids is not None:
            related = db_field.related_model
            path = "pk__in" if related is Tenant else "tenant_id__in"
            options["queryset"] = related._default_manager.filter(**{path: tenant_ids})
        return super().formfield_for_foreignkey(db_field, request, **options)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._may(request, None)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._may(request, None)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may(request, obj)

    def _may(self, request: HttpRequest, row: Any) -> bool:
        if not (request.user.is_active and request.user.is_staff):
            return False
        tenant_ids = self.tenant_ids(request)
        return tenant_ids is None or (row.tenant_id in tenant_ids if row is not None else bool(tenant_ids))
