"""Receipts: the audit entry, which nobody changes, and the answer kept for a call that may come twice."""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from ground.uuid7 import uuid7
from identity.models import Tenant
from identity.principal import Principal


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Audit entries, by who may read them."""

    def visible_to(self, principal: Principal) -> Self:
        """The tenant's entries, for holders of `observability:admin`; nobody else sees any."""
        if not principal.may("observability:admin"):
            return self.none()
        return self.filter(tenant_id=principal.tenant_id)


class AuditEntry(models.Model):
    """One write or one refused call. The database refuses to change or delete a row.

    Ids and labels are kept as text, so that an entry outlives what it speaks of. That holds for the tenant too: its id
    stays when the tenant is deleted, hence no constraint.
    """

    DOORS = [(door, door) for door in ("http", "mcp", "admin", "task")]
    OUTCOMES = [(outcome, outcome) for outcome in ("ok", "refused", "failed", "dry_run")]

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(
        Tenant, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)
    user_id = models.UUIDField(null=True)
    credential_kind = models.CharField(max_length=20, blank=True, default="")
    credential_id = models.CharField(max_length=100, blank=True, default="")
    credential_label = models.CharField(max_length=200, blank=True, default="")
    door = models.CharField(max_length=10, choices=DOORS)
    operation = models.CharField(max_length=200)
    tool = models.CharField(max_length=200, blank=True, default="")
    object_type = models.CharField(max_length=60, blank=True, default="")
    object_id = models.CharField(max_length=200, blank=True, default="")
    changed = ArrayField(
        models.CharField(max_length=100), blank=True, default=list, help_text="Names of changed fields, never values."
    )
    outcome = models.CharField(max_length=10, choices=OUTCOMES)
    status = models.PositiveSmallIntegerField()
    duration_ms = models.FloatField(default=0.0)
    request_id = models.CharField(max_length=100, blank=True, default="")
    trace_id = models.CharField(max_length=64, blank=True, default="")
    dry_run = models.BooleanField(default=False)
    attempts = models.PositiveIntegerField(
        default=1, help_text="How many equal refusals of one minute this stands for."
    )

    objects = AuditQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ("-at", "-id")
        indexes = [
            models.Index(fields=("tenant", "-at", "-id")),
            models.Index(fields=("-at", "-id")),
        ]

    def __str__(self) -> str:
        return f"{self.operation}: {self.outcome} ({self.status})"


class StoredAnswer(models.Model):
    """The answer of the call that first used an idempotency key, or the sign that this call still runs.

    The id changes when another call takes over, so it tells the runs apart. The body is the JSON text as it was sent:
    a JSON column would reorder its keys.
    """

    IN_FLIGHT, DONE = "in_flight", "done"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, db_index=False, related_name="+")  # the key begins so
    user_id = models.UUIDField()
    credential_kind = models.CharField(max_length=20)
    credential_id = models.CharField(max_length=100)
    key = models.CharField(max_length=255)
    operation = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the canonical arguments.")
    state = models.CharField(max_length=10, choices=[(IN_FLIGHT, IN_FLIGHT), (DONE, DONE)])
    status = models.PositiveSmallIntegerField(null=True)
    body = models.TextField(blank=True, default="")
    lease_until = models.DateTimeField(help_text="After this the running call counts as dead.")
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=("tenant", "user_id", "credential_kind", "credential_id", "key"), name="one_answer_a_key"
            )
        ]

    def __str__(self) -> str:
        return f"{self.operation}: {self.state}"
