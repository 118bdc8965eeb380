"""The forms of the workflows' admin pages: JSON in a textarea, with what is wrong with it said at the field."""

import json
from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from directory.forms import StaffForm
from ground.errors import InvalidInput, PlatformError
from ground.strict_json import loads
from workflows.definitions import check_graph
from workflows.models import STORED, Workflow
from workflows.paths import parts

EXAMPLE = {"steps": [{"type": "step", "step": {"id": "ask", "function": "approval"}}]}


# The database keeps objects in an order of its own; people read them in this one.
READ_FIRST = ("type", "id", "description", "inputSchema", "outputSchema", "steps", "step")


def readable(value: Any) -> Any:
    """The value with what names a thing before what is in it."""
    if isinstance(value, list):
        return [readable(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    first = [name for name in READ_FIRST if name in value]
    return {name: readable(value[name]) for name in dict.fromkeys([*first, *value])}


class JsonField(forms.Field):
    """JSON as text; what was typed stays as it was while it is wrong."""

    def __init__(self, *, rows: int, **options: Any) -> None:
        attributes = {"rows": rows, "spellcheck": "false", "autocapitalize": "off", "class": "workflow-json"}
        super().__init__(widget=UnfoldAdminTextareaWidget(attrs=attributes), **options)

    def prepare_value(self, value: Any) -> Any:
        """Indented, unless it is what somebody typed."""
        return (
            value
            if value is None or isinstance(value, str)
            else json.dumps(readable(value), indent=2, ensure_ascii=False)
        )

    def to_python(self, value: Any) -> Any:
        """The value of the text; None for an empty one."""
        if value is None or not str(value).strip():
            return None
        try:
            return loads(str(value).encode("utf-8", "replace"))
        except InvalidInput as refused:
            raise ValidationError([f"This is no JSON: {issue['message']}." for issue in refused.issues]) from None
        except PlatformError as refused:
            raise ValidationError(f"{refused.sentence}.") from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the values differ; blanks do not count."""
        try:
            return bool(initial != self.to_python(data))
        except ValidationError:
            return True


class WorkflowForm(StaffForm):
    """A workflow; a stored one with its graph, which could run."""

    graph = JsonField(rows=24, initial=EXAMPLE, help_text="The graph as JSON: docs/workflows.md says what it may hold.")

    class Meta:
        model = Workflow
        fields: ClassVar = ["tenant", "name", "slug", "description", "graph", "department", "enabled"]
        widgets: ClassVar = {"description": UnfoldAdminTextareaWidget(attrs={"rows": 3})}

    def clean(self) -> dict[str, Any]:
        """Refuse what save_workflow would refuse, each fault with its place."""
        cleaned = super().clean() or {}
        principal = self.principal()
        if principal is None or self.errors:
            return cleaned
        if self.instance._state.adding:  # known before the row is checked
            self.instance.tenant_id, self.instance.origin = principal.tenant_id, STORED
            if Workflow.objects.filter(tenant_id=principal.tenant_id, slug=cleaned["slug"]).exists():
                raise ValidationError({"slug": "Another workflow has this id."})
        if "graph" in cleaned:
            self._check(cleaned.get("slug") or self.instance.slug, cleaned["graph"])
        return cleaned

    def _check(self, slug: str, graph: Any) -> None:
        try:
            check_graph(Workflow(tenant_id=self.instance.tenant_id, slug=slug, origin=STORED, graph=graph))
        except InvalidInput as refused:
            said = [f"{issue['field']}: {issue['message']}" for issue in refused.issues] or [refused.sentence]
            self.add_error("graph", said)


class ResumeForm(forms.Form):
    """Which suspended step goes on, and with what."""

    step = forms.ChoiceField(widget=UnfoldAdminSelectWidget, label="Suspended step")
    resume_data = JsonField(rows=6, required=False, label="Data as JSON", help_text="What the step waits for.")

    def __init__(self, *args: Any, paths: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "resume-%s", **kwargs})
        self.fields["step"].choices = [(path, path) for path in paths]  # type: ignore[attr-defined]

    def place(self) -> list[str | int]:
        """The chosen step as the route takes it: step ids, each followed by its item where it is in a foreach."""
        place: list[str | int] = []
        for part in parts(self.cleaned_data["step"]):
            place += [part.name] if part.item is None else [part.name, part.item]
        return place
