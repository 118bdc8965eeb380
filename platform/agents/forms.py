"""The form of an agent's admin page."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from agents.actions import check_writes
from agents.models import MOST_TAGS, TAG_CHARACTERS, Agent
from directory.forms import StaffForm
from ground.errors import PlatformError
from inference.registry import resolve
from toolbox.registry import declared


class TagsField(forms.Field):
    """Tags with commas between them."""

    widget = UnfoldAdminTextInputWidget

    def prepare_value(self, value: Any) -> Any:
        """A list as a line."""
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:
        """The tags, without blanks and repeats."""
        parts = value if isinstance(value, list) else str(value or "").split(",")
        tags = list(dict.fromkeys(part.strip() for part in parts if part.strip()))
        if len(tags) > MOST_TAGS or any(len(tag) > TAG_CHARACTERS for tag in tags):
            raise ValidationError(f"At most {MOST_TAGS} tags of {TAG_CHARACTERS} characters each.")
        return tags

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the tags differ."""
        try:
            return list(initial or []) != self.to_python(data)
        except ValidationError:
            return True


class AgentForm(StaffForm):
    """An agent whose model is there, filled in by somebody who may write agents."""

    tags = TagsField(required=False, help_text="Words with commas between them, such as billing, english.")
    tools = forms.MultipleChoiceField(
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="What the agent may call, as far as whoever talks to it may use it too.",
    )

    class Meta:
        model = Agent
        fields: ClassVar = [
            "tenant", "name", "slug", "description", "tags", "model", "instructions", "tools", "memory",
            "department", "visibility", "enabled",
        ]  # fmt: skip
        widgets: ClassVar = {"description": UnfoldAdminTextareaWidget(attrs={"rows": 3})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if isinstance(field := self.fields.get("tools"), forms.MultipleChoiceField):
            # One that is declared no more stays visible until somebody takes it away.
            field.choices = [(name, name) for name in dict.fromkeys((*declared(), *self.instance.tools))]

    def clean(self) -> dict[str, Any]:
        """Refuse what save_agent would refuse, and a model that nobody serves."""
        cleaned = super().clean() or {}
        principal = self.principal()
        if principal is None or self.errors:
            return cleaned
        if self.instance._state.adding:  # known before the row is checked
            self.instance.tenant_id, self.instance.author_id = principal.tenant_id, principal.user_id
            if Agent.objects.filter(tenant_id=principal.tenant_id, slug=cleaned["slug"]).exists():
                raise ValidationError({"slug": "Another agent has this id."})
        try:
            check_writes(principal)
        except PlatformError as refused:
            raise ValidationError(refused.sentence) from None
        try:
            resolve(principal.tenant_id, cleaned["model"])
        except PlatformError as refused:
            raise ValidationError({"model": refused.sentence}) from None
        return cleaned
