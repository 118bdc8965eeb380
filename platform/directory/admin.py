"""Admin pages of tenants and people. Every save goes through an action."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from directory import actions, audit_admin, key_admin  # noqa: F401  (their pages register themselves)
from directory.forms import GrantForm, MembershipForm, RoleForm
from directory.staff import TenantScopedAdmin, acting_in, is_superuser
from identity.invalidation import rights_changed
from identity.models import Department, Grant, Membership, Role, Tenant, User

admin.site.unregister(Group)  # rights come from memberships


@admin.register(Tenant)
class TenantAdmin(TenantScopedAdmin):
    """Organisations; their staff may look at their own."""

    tenant_path = "pk"
    staff_may = frozenset({"view"})
    list_display = ("name", "slug", "members", "is_active", "created_at")
    search_fields = ("name", "slug")
    fields = ("name", "slug", "is_active", "maps_users")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request).annotate(member_count=Count("memberships"))
        return found

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ()

    @admin.display(ordering="member_count")
    def members(self, tenant: Any) -> int:
        """How many users belong to it."""
        return int(tenant.member_count)

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        if change:
            actions.change_tenant(obj)
        else:
            actions.create_tenant(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deactivate it instead: nothing is lost then."""
        return False


@admin.register(Department)
class DepartmentAdmin(TenantScopedAdmin):
    """Parts of a tenant."""

    list_display = ("name", "slug", "parent", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("parent", "tenant")
    search_fields = ("name", "slug")
    fields = ("tenant", "name", "slug", "parent")
    prepopulated_fields: ClassVar = {"slug": ("name",)}

    def save_model(self, request: HttpRequest, obj: Department, form: Any, change: bool) -> None:
        actions.save_department(acting_in(request, self.tenant_of(request, obj)), obj)

    def delete_model(self, request: HttpRequest, obj: Department) -> None:
        actions.delete_department(acting_in(request, obj.tenant), obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Department]) -> None:
        for department in queryset:
            self.delete_model(request, department)


@admin.register(User)
class AccountAdmin(UserAdmin, ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    """Users, for superusers."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "first_name", "last_name", "is_staff", "is_active")
    list_filter = ("is_staff", "is_superuser", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser")}),
    )
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("username", "email", "password1", "password2")}),)
    filter_horizontal = ()

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        actions.save_user(obj)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        obj.delete()
        rights_changed(None)

    def _is_open(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._is_open(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._is_open(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._is_open(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._is_open(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._is_open(request)


@admin.register(Membership)
class MembershipAdmin(TenantScopedAdmin):
    """Who belongs to a tenant, as what; staff edit memberships and never users."""

    form = MembershipForm
    list_display = ("user", "email", "role", "department_names", "is_active", "tenant")
    list_filter = ("role__slug", "is_active", "tenant")
    list_select_related = ("user", "role", "tenant")
    search_fields = ("user__username", "user__email", "user__first_name", "user__last_name")
    fields = ("tenant", "user", "role", "departments", "is_active")
    staff_may = frozenset({"view", "change", "delete"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("departments")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return (*fixed, "user") if obj is not None else fixed

    @admin.display(ordering="user__email")
    def email(self, membership: Membership) -> str:
        """The user's address."""
        return membership.user.email

    @admin.display(description="departments")
    def department_names(self, membership: Membership) -> str:
        """Their names."""
        return ", ".join(department.name for department in membership.departments.all())

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        principal = acting_in(request, self.tenant_of(request, obj))
        actions.save_membership(principal, obj, list(form.cleaned_data.get("departments", [])))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The action has saved the departments."""

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        actions.delete_membership(acting_in(request, obj.tenant), obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """One at a time: the last owner must stay."""
        return obj is not None and super().has_delete_permission(request, obj)


@admin.register(Role)
class RoleAdmin(TenantScopedAdmin):
    """What each role may do."""

    form = RoleForm
    list_display = ("slug", "patterns", "tenant")
    list_filter = ("slug", "tenant")
    list_select_related = ("tenant",)
    fields = ("tenant", "slug", "permissions")
    readonly_fields = ("slug",)
    staff_may = frozenset({"view", "change"})

    @admin.display(description="permissions")
    def patterns(self, role: Role) -> str:
        """The map, in a line."""
        return ", ".join(role.permissions) or "none"

    def save_model(self, request: HttpRequest, obj: Role, form: Any, change: bool) -> None:
        principal = acting_in(request, self.tenant_of(request, obj))
        actions.change_role_map(principal, obj, form.cleaned_data["permissions"])

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Every tenant has its five from the start."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Grant)
class GrantAdmin(TenantScopedAdmin):
    """Rights for single objects."""

    form = GrantForm
    list_display = ("subject", "permission", "object_type", "object_id", "created_at", "tenant")
    list_filter = ("object_type", "tenant")
    list_select_related = ("user", "role", "department", "tenant")
    search_fields = ("permission", "object_id", "user__username")
    fields = ("tenant", "user", "role", "department", "permission", "object_type", "object_id")

    @admin.display
    def subject(self, grant: Grant) -> str:
        """Who holds it."""
        if grant.user is not None:
            return f"user {grant.user}"
        return f"role {grant.role}" if grant.role is not None else f"department {grant.department}"

    def save_model(self, request: HttpRequest, obj: Grant, form: Any, change: bool) -> None:
        actions.save_grant(acting_in(request, self.tenant_of(request, obj)), obj)

    def delete_model(self, request: HttpRequest, obj: Grant) -> None:
        actions.delete_grant(acting_in(request, obj.tenant), obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Grant]) -> None:
        for grant in queryset:
            self.delete_model(request, grant)
