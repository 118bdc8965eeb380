"""The field of an allowlist: tools to tick, and lines for patterns, old names and what is not in the list."""

from typing import Any
from uuid import UUID

from django import forms
from unfold.widgets import TEXTAREA_CLASSES

from credentials import known_tools
from credentials.models import ApiKey
from directory.permission_grid import CHECKBOX


class AllowlistWidget(forms.Widget):
    """`about` tells it whose key it is; before that it offers the platform's tools."""

    template_name = "directory/allowlist.html"
    tenant_id: UUID | None = None
    owner_id: UUID | None = None

    class Media:
        js = ("directory/allowlist.js",)

    def about(self, key: ApiKey | None, tenant_id: UUID | None) -> None:
        """Whose tools to offer, and whose rights to count with."""
        self.tenant_id, self.owner_id = tenant_id, key.owner_id if key else None

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, None, attrs)
        entries = [str(entry) for entry in value or ()]
        groups = [
            (title, [(tool, tool in entries) for tool in tools]) for title, tools in known_tools.groups(self.tenant_id)
        ]
        shown = {"*", *(tool for _, tools in groups for tool, _ in tools)}
        return {
            **context,
            "everything": "*" in entries,
            "groups": groups,
            "lines": "\n".join(entry for entry in entries if entry not in shown),
            "tenant_id": self.tenant_id,
            "owner_id": self.owner_id,
            "checkbox": CHECKBOX,
            "textarea": " ".join(TEXTAREA_CLASSES),
        }

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        """The ticked tools, then the lines; commas part entries too."""
        ticked = data.getlist(f"{name}_tools") if hasattr(data, "getlist") else data.get(f"{name}_tools", [])
        return [*ticked, *str(data.get(name, "")).replace(",", "\n").splitlines()]

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        """An empty list is a list."""
        return False


class AllowlistField(forms.Field):
    """A list of entries."""

    widget = AllowlistWidget

    def to_python(self, value: Any) -> list[str]:
        """The entries, without blanks and repeats."""
        return list(dict.fromkeys(part.strip() for part in value or () if part.strip()))

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the entries differ, in whatever order."""
        return set(initial or ()) != set(self.to_python(data))
