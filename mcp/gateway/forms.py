"""Forms of the gateway's admin pages: a tenant's staff fill them in for their own tenant."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from api.toolsets import ORDER
from directory.forms import StaffForm
from gateway.catalog import SESSION
from gateway.models import FeaturedAgent, FeaturedWorkflow, McpSettings


class OwnTenantForm(StaffForm):
    """The tenant is known before the row is checked, also where it is not asked for."""

    def clean(self) -> dict[str, Any]:
        """Set the tenant of whoever acts."""
        cleaned: dict[str, Any] = super().clean() or {}
        principal = self.principal()
        if principal is not None:
            self.instance.tenant_id = principal.tenant_id
        return cleaned


class McpSettingsForm(OwnTenantForm):
    """The settings, with the toolsets to choose from."""

    toolsets = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name) for name in ORDER if name != SESSION],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=McpSettings._meta.get_field("toolsets").help_text,
    )

    class Meta:
        model = McpSettings
        fields: ClassVar = ["tenant", "enum_limit", "read_only", "toolsets", "wait_seconds"]

    def clean(self) -> dict[str, Any]:
        """One row for each tenant."""
        cleaned = super().clean()
        others = McpSettings.objects.filter(tenant_id=self.instance.tenant_id).exclude(pk=self.instance.pk)
        if "tenant" not in self.fields and others.exists():
            raise ValidationError("Your tenant has settings already; change those.")
        return cleaned


class FeaturedAgentForm(OwnTenantForm):
    """An agent of the tenant whose tool's name is free."""

    class Meta:
        model = FeaturedAgent
        fields: ClassVar = ["tenant", "agent", "position"]


class FeaturedWorkflowForm(OwnTenantForm):
    """A workflow of the tenant whose tool's name is free."""

    class Meta:
        model = FeaturedWorkflow
        fields: ClassVar = ["tenant", "workflow", "position"]
