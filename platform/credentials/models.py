"""API keys: what a person's client may do in a tenant. The secret itself is not in the database."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from identity.models import Department, User
from identity.permissions import SCOPES
from identity.scoping import TenantOwned

ROUTER_TOOL = "execute_tool"


def every_scope() -> list[str]:
    """The scopes of a key that is not narrowed."""
    return list(SCOPES)


class ApiKey(TenantOwned):
    """One key of one owner. Rights = allowlist ∩ scopes ∩ what the owner may do now."""

    resource: ClassVar[str] = "credentials"
    object_type: ClassVar[str] = "key"

    name = models.CharField(max_length=200)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_keys")
    lookup = models.CharField("public id", max_length=12, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    pepper_id = models.PositiveSmallIntegerField(editable=False)
    allowlist = ArrayField(models.CharField(max_length=100), blank=True, default=list)
    scopes = ArrayField(models.CharField(max_length=60), default=every_scope)
    departments = models.ManyToManyField(Department, blank=True, related_name="+")
    # Whether `departments` narrow the key: a narrowed key whose departments are gone must not become a broad one.
    narrowed = models.BooleanField(default=False, editable=False)
    read_only = models.BooleanField(default=False)
    calls_per_minute = models.PositiveIntegerField(null=True, blank=True)
    burst = models.PositiveIntegerField(null=True, blank=True)
    concurrent_calls = models.PositiveIntegerField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    replaced_by = models.OneToOneField(
        "self", null=True, on_delete=models.SET_NULL, related_name="replaces", editable=False
    )

    class Meta:
        verbose_name = "API key"
        ordering = ("-created_at", "id")
        permissions = [("issue_router_key", "Can issue router keys")]

    def __str__(self) -> str:
        return f"{self.name} ({self.lookup})"

    @property
    def is_router(self) -> bool:
        """Whether it shows the router's tools in place of everything it reaches."""
        return ROUTER_TOOL in self.allowlist

    @property
    def state(self) -> str:
        """active, expired or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= timezone.now() else "active"
