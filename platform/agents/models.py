"""An agent: instructions, a model, and who may see it."""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models

from identity.scoping import TenantOwned
from inference.registry import OFFLINE

PUBLIC, PRIVATE = "public", "private"
CODE, STORED = "code", "stored"

MOST_TAGS, TAG_CHARACTERS = 20, 60


class Agent(TenantOwned):
    """Known to callers by its slug. The author counts only while the agent is private."""

    resource: ClassVar[str] = "agents"
    object_type: ClassVar[str] = "agent"
    public_id: ClassVar[str] = "slug"
    has_department: ClassVar[bool] = True
    has_author: ClassVar[bool] = True

    slug = models.SlugField("id", max_length=120)
    name = models.CharField(max_length=200)
    description = models.TextField(null=True, blank=True)  # noqa: DJ001  (null: none was given)
    instructions = models.TextField(blank=True, default="")
    model = models.CharField(
        max_length=200, default=OFFLINE, help_text="provider/model, such as offline/demo or openai/gpt-4o."
    )
    tools = ArrayField(models.CharField(max_length=120), blank=True, default=list)
    department = models.ForeignKey(
        "identity.Department", null=True, blank=True, on_delete=models.SET_NULL, related_name="+",
        help_text="Empty: the whole tenant sees it.",
    )  # fmt: skip
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    visibility = models.CharField(
        max_length=10, choices=[(PUBLIC, "Public"), (PRIVATE, "Private")], default=PUBLIC,
        help_text="Private: only the author and the tenant's owner see it.",
    )  # fmt: skip
    tags = ArrayField(models.CharField(max_length=TAG_CHARACTERS), blank=True, default=list)
    enabled = models.BooleanField(default=True, help_text="A disabled agent cannot be called.")
    memory = models.BooleanField(default=True, help_text="Whether the agent keeps its conversations.")
    metadata = models.JSONField(blank=True, default=dict)
    source = models.CharField(max_length=10, choices=[(CODE, "Code"), (STORED, "Stored")], default=STORED)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("slug",)
        constraints = [models.UniqueConstraint(fields=("tenant", "slug"), name="agent_slug_once_a_tenant")]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Department and author belong to the same tenant; a private agent has an author."""
        if self.department and self.department.tenant_id != self.tenant_id:
            raise ValidationError({"department": "This department belongs to another tenant."})
        if self.visibility == PRIVATE and self.author_id is None:
            raise ValidationError({"author": "A private agent needs an author."})
