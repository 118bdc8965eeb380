"""A run and the records of its steps, as every kind of long work keeps them."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from durable.reading import Decoder
from ground.uuid7 import uuid7
from identity.scoping import TenantOwned

PENDING, RUNNING, WAITING, SUSPENDED, PAUSED = "pending", "running", "waiting", "suspended", "paused"
SUCCESS, FAILED, CANCELED = "success", "failed", "canceled"
OVER = frozenset({SUCCESS, FAILED, CANCELED})

LOOK, PAUSE = "look", "pause"  # what the holder of a run can be asked for


class Run(TenantOwned):
    """The row is the truth and the outbox: a message only makes somebody look at it sooner.

    `due_at` is when anybody may take the run up: at once, when a sleep ends, or when the lease of its holder lapses.
    None: nobody has to (it is over, or waits for a person). Every taking up raises `fence`; what is written with an
    older fence is refused.
    """

    status = models.CharField(max_length=10, default=PENDING)
    due_at = models.DateTimeField(null=True, blank=True)
    owner = models.CharField(max_length=64, blank=True, default="")
    fence = models.BigIntegerField(default=0)
    control = models.CharField(max_length=10, blank=True, default="")
    takings = models.SmallIntegerField(default=0)  # since the last committed step
    messaged_at = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(null=True, blank=True)
    step_count = models.IntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        indexes: ClassVar = [
            # Only what somebody has to take up: a suspended run costs nothing.
            models.Index(fields=("due_at",), name="%(class)s_due", condition=Q(due_at__isnull=False)),
        ]

    @property
    def is_over(self) -> bool:
        """Whether nothing can happen to it any more."""
        return self.status in OVER


class StepRecord(models.Model):
    """What one step took and gave. `path` is its place in the graph with the index of each item and iteration.

    With the run's id it is the key under which an effect outside the database can be made once.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    path = models.CharField(max_length=1200)
    step_id = models.CharField(max_length=120)
    position = models.IntegerField()  # the order in which the steps began
    status = models.CharField(max_length=10)
    input = models.JSONField(null=True, decoder=Decoder)
    output = models.JSONField(null=True, decoder=Decoder)
    error = models.JSONField(null=True, decoder=Decoder)
    suspend_payload = models.JSONField(null=True, decoder=Decoder)
    resume_payload = models.JSONField(null=True, decoder=Decoder)
    metadata = models.JSONField(null=True, decoder=Decoder)
    attempts = models.IntegerField(default=1)
    wake_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    suspended_at = models.DateTimeField(null=True)
    resumed_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
