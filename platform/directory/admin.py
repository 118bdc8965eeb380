"""Admin pages of tenants, departments, memberships, roles and grants. Every save goes through an action."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from credentials.sessions import choose_tenant
from directory import actions, audit_admin, key_admin, user_admin  # noqa: F401  (their pages register themselves)
from directory.choices import person
from directory.forms import DepartmentForm, GrantForm, MembershipForm, RoleForm
from directory.staff import TenantScopedAdmin, acting_in, staff_memberships
from identity.models import Department, Grant, Membership, Role, Tenant

admin.site.index_template = "directory/index.html"
admin.site.login_template = "directory/login.html"  # who opens the login page itself comes to the first page


@admin.register(Tenant)
class TenantAdmin(TenantScopedAdmin):
    """Organisations; their staff may look at their own."""

    tenant_path = "pk"
    staff_may = frozenset({"view"})
    list_display = ("name", "slug", "members", "is_active", "created_at")
    search_fields = ("name", "slug")
    fields = ("name", "slug", "is_active", "maps_users")
    prepopulated_fields: ClassVar = {"slug": ("name",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request).annotate(member_count=Count("memberships"))
        return found

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ()

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return {} if obj is not None else self.prepopulated_fields

    @admin.display(ordering="member_count")
    def members(self, tenant: Any) -> int:
        """How many users belong to it."""
        return int(tenant.member_count)

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        if change:
            actions.change_tenant(request.user, obj, form.changed_data)  # type: ignore[arg-type]
        else:
            actions.create_tenant(request.user, obj)  # type: ignore[arg-type]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Deactivate it instead: nothing is lost then."""
        return False

    def get_urls(self) -> list[URLPattern]:
        choose = self.admin_site.admin_view(require_POST(self.choose_view))
        return [path("<uuid:pk>/choose/", choose, name="identity_tenant_choose"), *super().get_urls()]

    def choose_view(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Work in another of one's tenants from now on."""
        user: Any = request.user
        if all(membership.tenant_id != pk for membership in staff_memberships(user)):
            raise Http404
        choose_tenant(request.session, user, pk)
        return HttpResponseRedirect(reverse("admin:index"))


@admin.register(Department)
class DepartmentAdmin(TenantScopedAdmin):
    """Parts of a tenant."""

    form = DepartmentForm
    list_display = ("name", "slug", "parent", "members", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("parent", "tenant")
    search_fields = ("name", "slug")
    fields = ("tenant", "name", "slug", "parent")
    prepopulated_fields: ClassVar = {"slug": ("name",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request).annotate(member_count=Count("memberships"))
        return found

    @admin.display(ordering="member_count")
    def members(self, department: Any) -> int:
        """How many users belong to it."""
        return int(department.member_count)

    def save_model(self, request: HttpRequest, obj: Department, form: Any, change: bool) -> None:
        actions.save_department(acting_in(request, self.tenant_of(request, obj)), obj, form.changed_data)

    def delete_model(self, request: HttpRequest, obj: Department) -> None:
        actions.delete_department(acting_in(request, obj.tenant), obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Department]) -> None:
        for department in queryset:
            self.delete_model(request, department)


@admin.register(Membership)
class MembershipAdmin(TenantScopedAdmin):
    """Who belongs to a tenant, as what; staff edit memberships and never users."""

    form = MembershipForm
    list_display = ("shown_user", "email", "role", "department_names", "is_active", "tenant")
    list_filter = ("role__slug", "is_active", "tenant")
    list_select_related = ("user", "role", "tenant")
    search_fields = ("user__username", "user__email", "user__first_name", "user__last_name")
    fields = ("tenant", "user", "role", "departments", "is_active")
    ordering = ("user__first_name", "user__last_name", "id")
    staff_may = frozenset({"view", "change", "delete"})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("departments")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return (*fixed, "shown_user") if obj is not None else fixed

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The user stays; another one is another membership."""
        shown = super().get_fields(request, obj)
        return shown if obj is None else ["shown_user" if name == "user" else name for name in shown]

    @admin.display(ordering="user__first_name", description="member")
    def shown_user(self, membership: Membership) -> str:
        """The name."""
        return membership.user.shown_name

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
        actions.save_membership(principal, obj, list(form.cleaned_data.get("departments", [])), form.changed_data)

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
    search_fields = ("permission", "object_id", "user__username", "user__email")
    fieldsets: ClassVar = (
        ("Who (choose one)", {"fields": ("tenant", "user", "role", "department")}),
        ("May do what, with which object", {"fields": ("permission", "object_type", "object_id")}),
    )

    @admin.display
    def subject(self, grant: Grant) -> str:
        """Who holds it."""
        if grant.user is not None:
            return f"user {person(grant.user)}"
        return f"role {grant.role}" if grant.role is not None else f"department {grant.department}"

    def save_model(self, request: HttpRequest, obj: Grant, form: Any, change: bool) -> None:
        actions.save_grant(acting_in(request, self.tenant_of(request, obj)), obj, form.changed_data)

    def delete_model(self, request: HttpRequest, obj: Grant) -> None:
        actions.delete_grant(acting_in(request, obj.tenant), obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Grant]) -> None:
        for grant in queryset:
            self.delete_model(request, grant)
