"""Forms of the directory's admin pages: what an action would refuse is said at the field, before anything is saved."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminTextareaWidget

from directory.actions import check_membership, check_patterns, check_role_map
from directory.staff import acting_in, staff_principal
from ground.errors import PlatformError
from identity.models import Grant, Membership, Role, Tenant
from identity.permissions import ACTIONS, RESOURCES, is_pattern
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
        try:
            check_membership(principal, wanted, list(cleaned.get("departments", [])))
        except PlatformError as refused:
            raise ValidationError(refused.sentence) from None
        return cleaned


class PermissionGrid(forms.MultiWidget):
    """A table of resources and actions to tick, and a line for patterns."""

    template_name = "directory/permission_grid.html"

    def __init__(self) -> None:
        super().__init__([forms.CheckboxSelectMultiple, UnfoldAdminTextareaWidget(attrs={"rows": 2})])

    def decompress(self, value: Any) -> list[Any]:
        """Plain permissions are ticked; patterns stand in the line."""
        patterns = list(value or [])
        return [[p for p in patterns if "*" not in p], ", ".join(p for p in patterns if "*" in p)]

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        ticked, line = value if isinstance(value, list) and len(value) == 2 else self.decompress(value)
        ticked = ticked or []
        context["actions"] = ACTIONS
        context["rows"] = [
            (resource, [(f"{resource}:{action}", f"{resource}:{action}" in ticked) for action in ACTIONS])
            for resource in RESOURCES
        ]
        context["line"] = line or ""
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Both parts."""
        ticked = data.getlist(f"{name}_0") if hasattr(data, "getlist") else data.get(f"{name}_0", [])
        return [ticked, data.get(f"{name}_1", "")]


class PermissionField(forms.Field):
    """A list of permission patterns."""

    widget = PermissionGrid

    def to_python(self, value: Any) -> list[str]:
        """The patterns, ticked and written, without repeats."""
        ticked, line = value if isinstance(value, list) and len(value) == 2 else (value or [], "")
        written = [part.strip() for part in str(line).replace("\n", ",").split(",") if part.strip()]
        patterns = list(dict.fromkeys([*written, *ticked]))
        if unknown := [pattern for pattern in patterns if not is_pattern(pattern)]:
            raise ValidationError(f"Unknown permissions: {', '.join(unknown)}. Write them as resource:action.")
        return patterns

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the patterns differ, in whatever order."""
        try:
            return set(self.to_python(data)) != set(initial or [])
        except ValidationError:
            return True


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
            try:
                check_role_map(principal, self.instance, cleaned.get("permissions", []))
            except PlatformError as refused:
                raise ValidationError({"permissions": refused.sentence}) from None
        return cleaned


class GrantForm(StaffForm):
    """A grant that its giver could use."""

    class Meta:
        model = Grant
        fields: ClassVar = ["tenant", "user", "role", "department", "permission", "object_type", "object_id"]

    def clean(self) -> dict[str, Any]:
        """Refuse what save_grant would refuse."""
        cleaned = super().clean() or {}
        principal = self.principal()
        if principal is None or self.errors:
            return cleaned
        self.instance.tenant_id = principal.tenant_id
        try:
            check_patterns(principal, [cleaned["permission"]])
        except PlatformError as refused:
            raise ValidationError({"permission": refused.sentence}) from None
        return cleaned
