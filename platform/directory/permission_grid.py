"""The field of a permission map: a grid of resources and actions to tick, with a row and a column for all of them."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import CHECKBOX_CLASSES

from identity.permissions import ACTIONS, RESOURCES, SCOPES, is_pattern

CHECKBOX = " ".join(CHECKBOX_CLASSES)
Cell = tuple[str, bool]
Row = tuple[str, list[Cell]]


def _row(title: str, resource: str, actions: tuple[str, ...], ticked: set[str]) -> Row:
    names = ["*" if (resource, action) == ("*", "*") else f"{resource}:{action}" for action in actions]
    return title, [(name, name in ticked) for name in names]


class TickedWidget(forms.SelectMultiple):
    """Checkboxes in a template of their own."""

    class Media:
        js = ("directory/grid.js",)

    def ticked(self, value: Any) -> set[str]:
        """What is ticked."""
        return {str(name) for name in value or ()}


class PermissionGrid(TickedWidget):
    """Every pattern has one place: `agents:read` in a cell, `*:read` and `agents:*` at the edges, `*` in the corner."""

    template_name = "directory/permission_grid.html"

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        ticked, actions = self.ticked(value), (*ACTIONS, "*")
        rows = [_row("everything", "*", actions, ticked), *(_row(r, r, actions, ticked) for r in RESOURCES)]
        return {**context, "heads": [*ACTIONS, "all"], "rows": rows, "checkbox": CHECKBOX}


class PermissionField(forms.Field):
    """A list of permission patterns."""

    widget = PermissionGrid

    def to_python(self, value: Any) -> list[str]:
        """The patterns without repeats."""
        patterns = list(dict.fromkeys("*" if name == "*:*" else str(name) for name in value or ()))
        if unknown := [pattern for pattern in patterns if not is_pattern(pattern)]:
            raise ValidationError(f"Unknown permissions: {', '.join(unknown)}. Write them as resource:action.")
        return patterns

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the patterns differ, in whatever order."""
        return set(initial or ()) != set(data or ())


class ScopeGrid(TickedWidget):
    """The three scopes that most keys carry, and the narrower ones for those that should do less."""

    template_name = "directory/scopes.html"

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        ticked = self.ticked(value)
        rows = [_row(r, r, ACTIONS, ticked) for r in RESOURCES if r != "mcp"]
        broad = [(scope, " ".join(carried), scope in ticked) for scope, carried in SCOPES.items()]
        narrow = any(set_ for _, cells in rows for _, set_ in cells)
        return {**context, "broad": broad, "heads": ACTIONS, "rows": rows, "narrow": narrow, "checkbox": CHECKBOX}


def scope_choices() -> list[tuple[str, str]]:
    """Every scope that a key may have."""
    names = [*SCOPES, *(f"{resource}:{action}" for resource in RESOURCES for action in ACTIONS if resource != "mcp")]
    return [(name, name) for name in names]
