"""Threads belong to a resource id (a user, as a rule); messages belong to threads."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from identity.principal import Principal
from identity.scoping import TenantOwned

ID_CHARACTERS = 200


class Thread(TenantOwned):
    """One conversation. `thread_id` is chosen by the client or equals `id`; it is unique for its owner only.

    So a grant names a thread by `id`, which stands for one thread in the tenant.
    """

    resource: ClassVar[str] = "memory"
    object_type: ClassVar[str] = "thread"

    thread_id = models.CharField(max_length=ID_CHARACTERS)
    resource_id = models.CharField(max_length=ID_CHARACTERS)
    agent_id = models.CharField(max_length=120, null=True, blank=True)  # noqa: DJ001  (null: no agent began it)
    title = models.TextField(blank=True, default="")
    metadata = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = [
            models.UniqueConstraint(fields=("tenant", "resource_id", "thread_id"), name="thread_id_once_an_owner")
        ]
        indexes = [
            models.Index(fields=("tenant", "resource_id", "-created_at", "-id")),
            models.Index(fields=("tenant", "-created_at", "-id")),
        ]

    def __str__(self) -> str:
        return self.title or self.thread_id

    @classmethod
    def role_rule(cls, principal: Principal) -> Q:
        """Only the own threads where threads belong to users; the owner sees the tenant's."""
        return own_resource(principal, "resource_id")

    @classmethod
    def missing_sentence(cls, public_id: str) -> str:
        return "Thread not found"


class Message(TenantOwned):
    """One message in format 2: `content` is `{format: 2, parts: [...], content?, metadata?}`."""

    resource: ClassVar[str] = "memory"
    object_type: ClassVar[str] = "message"

    ROLES = [(role, role) for role in ("user", "assistant", "system", "tool")]

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="messages")
    role = models.CharField(max_length=20, choices=ROLES)
    type = models.CharField(max_length=40, default="text")
    content = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("created_at", "id")
        indexes = [models.Index(fields=("thread", "-created_at", "-id"))]

    def __str__(self) -> str:
        return f"{self.role} at {self.created_at:%Y-%m-%d %H:%M}"

    @classmethod
    def role_rule(cls, principal: Principal) -> Q:
        """The messages of the threads that the principal sees."""
        return own_resource(principal, "thread__resource_id")


def own_resource(principal: Principal, path: str) -> Q:
    """The rule "of this caller" over a resource id; no rule for the owner, or where threads do not belong to users."""
    if principal.is_owner or not principal.maps_users:
        return Q()
    return Q(**{path: principal.resource_id})
