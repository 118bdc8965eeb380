"""The form of an API key: what an action would refuse is said at the field."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextareaWidget

from credentials.actions import ROUTER_EXPIRES, check_policy
from credentials.models import ROUTER_TOOL, ApiKey
from directory.forms import StaffForm
from ground.errors import PlatformError
from identity.permissions import ACTIONS, RESOURCES, SCOPES

NARROW = [f"{resource}:{action}" for resource in RESOURCES for action in ACTIONS if resource != "mcp"]


class LinesField(forms.Field):
    """One entry a line; commas part entries too."""

    widget = UnfoldAdminTextareaWidget(attrs={"rows": 5, "spellcheck": "false", "data-allowlist": ""})

    def prepare_value(self, value: Any) -> Any:
        """A list as lines."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:
        """The entries, without blanks and repeats."""
        parts = value if isinstance(value, list) else str(value or "").replace(",", "\n").splitlines()
        return list(dict.fromkeys(part.strip() for part in parts if part.strip()))

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the entries differ."""
        return list(initial or []) != self.to_python(data)


class KeyForm(StaffForm):
    """Policy of a key. The owner and the tenant are chosen once."""

    allowlist = LinesField(
        required=False,
        help_text=(
            "One tool a line: a name such as agent_list, all of a kind such as agent_*, all of a server such as "
            "crm__*, or * for everything. An empty list allows the session tools alone."
        ),
    )
    router = forms.BooleanField(
        required=False,
        label="router key",
        help_text="Show three small tools in place of all that the list reaches.",
    )
    scopes = forms.MultipleChoiceField(
        choices=[
            ("The usual three", [(scope, scope) for scope in SCOPES]),
            ("Narrower", [(name, name) for name in NARROW]),
        ],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        initial=list(SCOPES),
        required=False,
    )

    class Meta:
        model = ApiKey
        fields: ClassVar = [
            "tenant", "name", "owner", "allowlist", "router", "read_only", "scopes", "departments", "expires_at",
            "calls_per_minute", "burst", "concurrent_calls",
        ]  # fmt: skip

    class Media:
        js = ("directory/allowlist.js",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        held = list(self.instance.allowlist or [])
        if self.instance.pk and not self.instance._state.adding:
            self.initial["allowlist"] = [entry for entry in held if entry != ROUTER_TOOL]
            self.initial["router"] = ROUTER_TOOL in held

    def clean(self) -> dict[str, Any]:
        """Refuse what issue_key and change_key would refuse."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        entries = [entry for entry in cleaned["allowlist"] if entry != ROUTER_TOOL]
        cleaned["allowlist"] = [*entries, *([ROUTER_TOOL] if cleaned.get("router") else [])]
        if cleaned.get("router") and not self.may_route():
            raise ValidationError({"router": "Issuing router keys needs a permission of its own; ask a superuser."})
        if cleaned.get("router") and not cleaned.get("expires_at") and not self.instance._state.adding:
            raise ValidationError({"expires_at": ROUTER_EXPIRES})
        self._check(cleaned)
        return cleaned

    def may_route(self) -> bool:
        """Router keys need a second permission: the owner's role, or one that a superuser gave."""
        principal = self.principal()
        return bool(
            self.request.user.has_perm("credentials.issue_router_key") or (principal is not None and principal.is_owner)
        )

    def _check(self, cleaned: dict[str, Any]) -> None:
        principal = self.principal()
        if principal is None:
            return
        owner = cleaned.get("owner") or self.instance.owner
        try:
            check_policy(
                principal,
                owner=owner,
                allowlist=cleaned["allowlist"],
                departments=list(cleaned.get("departments") or []),
            )
        except PlatformError as refused:
            raise ValidationError(refused.sentence) from None
