"""What a tenant's staff decide about its MCP surface: the settings, and what gets a tool of its own."""

from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from agents.models import Agent
from api.toolsets import ORDER
from credentials.models import ApiKey
from gateway.catalog import clash, wire_name
from ground.invalidation import announce
from ground.uuid7 import uuid7
from identity.models import Tenant
from workflows.models import Workflow

ENUM_LIMIT = 25


class Surfacing(models.Model):
    """A row that shapes surfaces: every change of it is told to all processes."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **options: Any) -> None:
        """Keep the row and clear the surfaces."""
        super().save(*args, **options)
        announce("surface", self._tenant_id())

    def delete(self, *args: Any, **options: Any) -> tuple[int, dict[str, int]]:
        """Remove the row and clear the surfaces."""
        tenant_id = self._tenant_id()
        removed = super().delete(*args, **options)
        announce("surface", tenant_id)
        return removed

    def _tenant_id(self) -> Any:
        return getattr(self, "tenant_id", None)


class McpSettings(Surfacing):
    """How the MCP endpoint serves one tenant."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.OneToOneField(Tenant, on_delete=models.CASCADE, related_name="+")
    enum_limit = models.PositiveSmallIntegerField(
        default=ENUM_LIMIT, validators=[MaxValueValidator(200)],
        help_text="Up to so many agents, workflows or tools are listed by id in the tools' inputs.",
    )  # fmt: skip
    read_only = models.BooleanField(default=False, help_text="Serve only tools that change nothing.")
    toolsets = ArrayField(
        models.CharField(max_length=40, choices=[(name, name) for name in ORDER]), blank=True, default=list,
        help_text="Serve only these toolsets; empty: all. The session tools are always served.",
    )  # fmt: skip
    wait_seconds = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0.1), MaxValueValidator(3600)],
        help_text="How long a waiting call waits before it answers `running`; empty: the server's setting.",
    )  # fmt: skip

    class Meta:
        verbose_name = verbose_name_plural = "MCP settings"

    def __str__(self) -> str:
        return f"MCP settings of {self.tenant}"


class Featured(Surfacing):
    """An object with a tool of its own; `featured` is the field that holds it, `prefix` what its tool begins with."""

    featured: ClassVar[str]
    prefix: ClassVar[str]

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField(default=0, help_text="The order in this list; tools are listed by id.")

    class Meta:
        abstract = True
        ordering = ("position", "id")

    def __str__(self) -> str:
        return self.tool_name

    @property
    def row(self) -> Any:
        """The object."""
        return getattr(self, self.featured)

    @property
    def tool_name(self) -> str:
        """The name that clients see."""
        return wire_name(self.prefix, self.row.slug)

    def clean(self) -> None:
        """The object is of the same tenant, and its tool's name is free."""
        if getattr(self, f"{self.featured}_id") is None:
            return
        if self.tenant_id is not None and self.row.tenant_id != self.tenant_id:
            raise ValidationError({self.featured: f"This {self.featured} belongs to another tenant."})
        if reason := clash(self.tool_name):
            raise ValidationError({self.featured: f"This {self.featured} cannot be featured: {reason}"})


class FeaturedAgent(Featured):
    """An agent with a tool of its own: `agent_<id>`."""

    featured, prefix = "agent", "agent_"

    agent = models.OneToOneField(Agent, on_delete=models.CASCADE, related_name="featured")

    class Meta(Featured.Meta):
        abstract = False


class FeaturedWorkflow(Featured):
    """A workflow with a tool of its own: `workflow_<id>`."""

    featured, prefix = "workflow", "workflow_"

    workflow = models.OneToOneField(Workflow, on_delete=models.CASCADE, related_name="featured")

    class Meta(Featured.Meta):
        abstract = False


class RouterKey(ApiKey):
    """A key that shows three small tools instead of everything it reaches."""

    class Meta:
        proxy = True
        verbose_name = "router key"
        verbose_name_plural = "router keys"
