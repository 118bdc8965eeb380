"""A tool as one tenant sees it: the function is declared in code, who may use it is decided in the admin."""

from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models

from identity.scoping import TenantOwned


class Tool(TenantOwned):
    """Known to callers by its slug, which is the id of the declared tool. A disabled one is seen by nobody."""

    resource: ClassVar[str] = "tools"
    object_type: ClassVar[str] = "tool"
    public_id: ClassVar[str] = "slug"
    has_department: ClassVar[bool] = True

    slug = models.SlugField("id", max_length=64)
    department = models.ForeignKey(
        "identity.Department", null=True, blank=True, on_delete=models.SET_NULL, related_name="+",
        help_text="Empty: the whole tenant sees it.",
    )  # fmt: skip
    enabled = models.BooleanField(default=True, help_text="A disabled tool is neither seen nor called.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("slug",)
        constraints = [models.UniqueConstraint(fields=("tenant", "slug"), name="tool_slug_once_a_tenant")]

    def __str__(self) -> str:
        return self.slug

    @classmethod
    def missing_sentence(cls, public_id: str) -> str:
        return "Tool not found"

    def clean(self) -> None:
        """The department belongs to the same tenant."""
        if self.department and self.department.tenant_id != self.tenant_id:
            raise ValidationError({"department": "This department belongs to another tenant."})
