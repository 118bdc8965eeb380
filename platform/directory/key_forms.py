"""The form of an API key: what an action would refuse is said at the field."""

from datetime import timedelta
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.utils import timezone
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldBooleanSwitchWidget

from credentials.actions import LIFETIME
from credentials.allowlist import checked
from credentials.models import ROUTER_TOOL, ApiKey
from credentials.policy import ROUTER_EXPIRES, check_policy, may_route
from directory.allowlist_field import AllowlistField
from directory.forms import StaffForm
from directory.permission_grid import ScopeGrid, scope_choices
from identity.models import Department
from identity.permissions import SCOPES
from identity.principal import Principal

LIMITS = {
    "calls_per_minute": "LIMIT_CALLS_PER_MINUTE",
    "burst": "LIMIT_BURST",
    "concurrent_calls": "LIMIT_CONCURRENT_CALLS",
}
ENDS_NEW, ENDS_OLD = f"in {LIFETIME.days} days.", "never; a router key has to end."


class KeyForm(StaffForm):
    """Policy of a key. The owner and the tenant are chosen once."""

    allowlist = AllowlistField(
        required=False,
        help_text="A pattern is all of a kind, such as agent_*, or all of a server, such as crm__*. Old names work. "
        "An empty list allows whoami and get_context alone.",
    )
    router = forms.BooleanField(
        required=False,
        label="Router key",
        widget=UnfoldBooleanSwitchWidget,
        help_text="Show three small tools, that search and run, in place of all that the list reaches.",
    )
    scopes = forms.MultipleChoiceField(choices=scope_choices, widget=ScopeGrid, initial=list(SCOPES))

    class Meta:
        model = ApiKey
        fields: ClassVar = [
            "tenant", "name", "owner", "allowlist", "router", "read_only", "scopes", "departments", "expires_at",
            *LIMITS,
        ]  # fmt: skip
        help_texts: ClassVar = {
            "owner": "The key may do what its owner may do now, and no more.",
            "read_only": "Only tools that change nothing.",
            "departments": "None chosen: all of the owner's.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        is_new = self.instance._state.adding
        if "expires_at" in self.fields:
            self.fields["expires_at"].help_text = f"UTC. Empty: {ENDS_NEW if is_new else ENDS_OLD}"
        if is_new:
            self.initial.setdefault("expires_at", _in_whole_hours(LIFETIME))
        else:
            held = list(self.instance.allowlist)
            self.initial["allowlist"] = [entry for entry in held if entry != ROUTER_TOOL]
            self.initial["router"] = ROUTER_TOOL in held
        for name, setting in LIMITS.items():
            if name in self.fields:
                self.fields[name] = forms.IntegerField(
                    min_value=1,
                    max_value=1_000_000,
                    required=False,
                    widget=UnfoldAdminIntegerFieldWidget(attrs={"placeholder": str(getattr(settings, setting))}),
                )

    def clean(self) -> dict[str, Any]:
        """Refuse what issue_key and change_key would refuse."""
        cleaned = super().clean() or {}
        principal = self.principal() if not self.errors else None
        if principal is None:
            return cleaned
        entries = [entry for entry in cleaned["allowlist"] if entry != ROUTER_TOOL]
        cleaned["allowlist"] = [*entries, *([ROUTER_TOOL] if cleaned["router"] else [])]
        if cleaned["router"] and not may_route(self.request.user):  # type: ignore[arg-type]
            self.add_error("router", "Issuing router keys needs a permission of its own; ask a superuser for it.")
        elif cleaned["router"] and not cleaned["expires_at"] and not self.instance._state.adding:
            self.add_error("expires_at", ROUTER_EXPIRES)
        elif cleaned["expires_at"] and "expires_at" in self.changed_data and cleaned["expires_at"] <= timezone.now():
            self.add_error("expires_at", "Choose a date in the future; revoke a key to end it now.")
        else:
            self._check(principal, cleaned)
        return cleaned

    def _check(self, principal: Principal, cleaned: dict[str, Any]) -> None:
        departments: list[Department] = list(cleaned["departments"])
        with self.saying("allowlist"):
            checked(cleaned["allowlist"], principal.tenant_id, kept=self.instance.allowlist)
        if self.errors:
            return
        with self.saying("owner" if "owner" in self.fields else None):
            check_policy(
                principal,
                cleaned.get("owner") or self.instance.owner,
                cleaned["allowlist"],
                departments,
                scopes=cleaned["scopes"],
                kept=self.instance.allowlist,
            )


def _in_whole_hours(lifetime: timedelta) -> Any:
    return (timezone.now() + lifetime).replace(minute=0, second=0, microsecond=0)
