"""The form of a tool's admin page."""

from typing import Any, ClassVar

from django.core.exceptions import ValidationError

from directory.forms import StaffForm
from ground.errors import PlatformError
from toolbox.actions import check_writes
from toolbox.models import Tool


class ToolForm(StaffForm):
    """Who sees a tool, said by somebody who may write tools."""

    class Meta:
        model = Tool
        fields: ClassVar = ["department", "enabled"]

    def clean(self) -> dict[str, Any]:
        """Refuse what save_tool would refuse."""
        cleaned = super().clean() or {}
        principal = self.principal()
        if principal is not None and not self.errors:
            try:
                check_writes(principal)
            except PlatformError as refused:
                raise ValidationError(refused.sentence) from None
        return cleaned
