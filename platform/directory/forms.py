"""Forms of the directory's admin pages: what an action would refuse is said at the field, before anything is saved."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminSelectWidget

from directory.permission_grid import PermissionField
from directory.rules import check_grant, check_membership, check_parent, check_patterns, check_role_map
from directory.staff import acting_in, note_refusal, staff_principal
from ground.errors import PlatformError
from identity.models import Department, Grant, Membership, Role, Tenant
from identity.permissions import ACTIONS, RESOURCES
from identity.principal import Principal


class StaffForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """A form that knows who fills it in."""

    request: HttpRequest

    def principal(self) -> Principal | None:
        """Who acts, once the tenant is known."""
        tenant: Tenant | None = self.cleaned_data.get("tenant")
        if (found := staff_principal(self.request)) is not None and not self.request.user.is_superuser:
            return found
        if tenant is None and self.instance.tenant_id is not None:
            tenant = self.instance.tenant
        return acting_in(self.request, tenant) if tenant is not None else None

    @contextmanager
    def saying(self, field: str | None = None) -> Iterator[None]:
        """Turn what an action would refuse into an error at the field; an attempt to gain rights is written down."""
        try:
            yield
        except PlatformError as refused:
            note_refusal(self.principal(), f"change {self._meta.model._meta.model_name}", refused)
            self.add_error(field, refused.sentence)


def _permissions() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every permission that may be granted, by its resource."""
    return [
        (resource, [(name, name) for name in (*(f"{resource}:{action}" for action in ACTIONS), f"{resource}:*")])
        for resource in RESOURCES
    ]


class DepartmentForm(StaffForm):
    """A department in its place."""

    class Meta:
        model = Department
        fields: ClassVar = ["tenant", "name", "slug", "parent"]

    def clean(self) -> dict[str, Any]:
        """Refuse what save_department would refuse."""
        cleaned = super().clean() or {}
        principal = self.principal()
        if principal is not None and not self.errors:
            self.instance.tenant_id = principal.tenant_id
            with self.saying("parent"):
                check_parent(principal, Department(pk=self.instance.pk, parent=cleaned.get("parent")))
            others = Department.objects.filter(tenant_id=principal.tenant_id).exclude(pk=self.instance.pk)
            if others.filter(slug=cleaned["slug"]).exists():
                self.add_error("slug", "Another department has this slug.")
        return cleaned


class MembershipForm(StaffForm):
    """A membership whose role the editor may give."""

    class Meta:
        model = Membership
        fields: ClassVar = ["tenant", "user", "role", "departments", "is_active"]

    def clean(self) -> dict[str, Any]:
        """Refuse what save_membership would refuse."""
        cleaned = super().clean() or {}
        principal = self.principal()
        if principal is None or self.errors:
            return cleaned
        wanted = Membership(
            pk=self.instance.pk,
            role=cleaned.get("role") or self.instance.role,
            is_active=cleaned.get("is_active", True),
        )
        with self.saying("role" if "role" in self.fields else None):
            check_membership(principal, wanted, list(cleaned.get("departments", [])))
        return cleaned


class RoleForm(StaffForm):
    """A role's map."""

    permissions = PermissionField(required=False)

    class Meta:
        model = Role
        fields: ClassVar = ["tenant", "slug", "permissions"]

    def clean(self) -> dict[str, Any]:
        """Refuse what change_role_map would refuse."""
        cleaned = super().clean() or {}
        principal = self.principal()
        if principal is not None and not self.errors:
            with self.saying("permissions"):
                check_role_map(principal, self.instance, cleaned.get("permissions", []))
        return cleaned


class GrantForm(StaffForm):
    """A grant that its giver could use."""

    permission = forms.ChoiceField(choices=_permissions, widget=UnfoldAdminSelectWidget)

    class Meta:
        model = Grant
        fields: ClassVar = ["tenant", "user", "role", "department", "permission", "object_type", "object_id"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        held, field = self.instance.permission, self.fields.get("permission")
        if isinstance(field, forms.ChoiceField) and held and not field.valid_value(held):
            field.choices = [(held, held), *_permissions()]

    def clean(self) -> dict[str, Any]:
        """Refuse what save_grant would refuse."""
        cleaned = super().clean() or {}
        principal = self.principal()
        if principal is None or self.errors:
            return cleaned
        self.instance.tenant_id = principal.tenant_id
        wanted = Grant(**{name: cleaned[name] for name in ("permission", "object_type", "object_id")})
        with self.saying("permission"):
            check_patterns(principal, [wanted.permission])
        if not self.errors:
            with self.saying("object_id"):
                check_grant(principal, wanted)
        return cleaned
