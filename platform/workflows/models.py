"""Workflows, their versions, their runs and the records of steps."""

from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from durable.models import Run, StepRecord
from durable.reading import Decoder
from identity.principal import Principal
from identity.scoping import TenantOwned
from workflows.ids import ID_CHARACTERS

CODE, STORED = "code", "dynamic"  # the words of the API's `origin`
RUN_ID_CHARACTERS = 200


class Workflow(TenantOwned):
    """A workflow that a tenant has: written in Python and shown to it, or stored as a graph and edited by its staff."""

    resource: ClassVar[str] = "workflows"
    object_type: ClassVar[str] = "workflow"
    public_id: ClassVar[str] = "slug"
    has_department: ClassVar[bool] = True

    slug = models.SlugField("id", max_length=ID_CHARACTERS)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True, default="")
    origin = models.CharField(max_length=10, choices=[(CODE, "Code"), (STORED, "Stored")], default=STORED)
    graph = models.JSONField(null=True, blank=True, help_text="The graph as it is written; none for one in Python.")
    department = models.ForeignKey(
        "identity.Department", null=True, blank=True, on_delete=models.SET_NULL, related_name="+",
        help_text="Empty: the whole tenant sees it.",
    )  # fmt: skip
    enabled = models.BooleanField(default=True, help_text="A disabled workflow starts no runs.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("slug",)
        constraints = [models.UniqueConstraint(fields=("tenant", "slug"), name="workflow_slug_once_a_tenant")]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """The department belongs to the same tenant."""
        if self.department and self.department.tenant_id != self.tenant_id:
            raise ValidationError({"department": "This department belongs to another tenant."})


class WorkflowVersion(models.Model):
    """What a run is pinned to: the whole graph with the workflows inside it, and the digests of the functions."""

    id = models.BigAutoField(primary_key=True)
    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    body = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("workflow", "-number")
        constraints = [
            models.UniqueConstraint(fields=("workflow", "digest"), name="workflow_version_once"),
            models.UniqueConstraint(fields=("workflow", "number"), name="workflow_version_number_once"),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"


class WorkflowRun(Run):
    """One run. Callers know it by `run_id`, which is unique for its owner and workflow."""

    resource: ClassVar[str] = "workflows"
    object_type: ClassVar[str] = "workflow"
    public_id: ClassVar[str] = "run_id"

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="runs")
    version = models.ForeignKey(WorkflowVersion, on_delete=models.PROTECT, related_name="+")
    run_id = models.CharField("run id", max_length=RUN_ID_CHARACTERS)
    resource_id = models.CharField(max_length=200)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    credential_kind = models.CharField(max_length=20)
    credential_id = models.CharField(max_length=100)
    input = models.JSONField(null=True, decoder=Decoder)
    initial_state = models.JSONField(null=True, decoder=Decoder)
    state = models.JSONField(null=True, decoder=Decoder)
    request_context = models.JSONField(null=True, decoder=Decoder)
    result = models.JSONField(null=True, decoder=Decoder)
    error = models.JSONField(null=True, decoder=Decoder)
    trace_id = models.CharField(max_length=32, blank=True, default="")
    per_step = models.BooleanField(default=False)

    class Meta(Run.Meta):
        abstract = False
        ordering = ("-created_at", "-id")
        constraints = [
            models.UniqueConstraint(fields=("workflow", "resource_id", "run_id"), name="workflow_run_id_once_an_owner")
        ]
        indexes = [
            *Run.Meta.indexes,
            models.Index(fields=("workflow", "-created_at"), name="workflow_run_newest"),
            models.Index(fields=("tenant", "status"), name="workflow_run_status"),
        ]

    def __str__(self) -> str:
        return self.run_id

    @classmethod
    def role_rule(cls, principal: Principal) -> Q:
        """Runs belong to who started them; who may write workflows sees those of everybody."""
        return Q() if principal.may("workflows:write") else Q(resource_id=principal.resource_id)

    @classmethod
    def missing_sentence(cls, public_id: str) -> str:
        return "Workflow run not found"


class WorkflowStep(StepRecord):
    """The record of one step of a run."""

    run = models.ForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="steps")

    class Meta:
        ordering = ("run", "position", "path")
        constraints = [models.UniqueConstraint(fields=("run", "path"), name="workflow_step_once_a_run")]

    def __str__(self) -> str:
        return self.path

    def facts(self) -> dict[str, Any]:
        """The values by field."""
        return {field.name: getattr(self, field.name) for field in self._meta.concrete_fields if field.name != "run"}
