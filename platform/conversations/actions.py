"""Opening threads and keeping turns; whoever owns a thread is decided here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from conversations.format2 import is_storable
from conversations.models import ID_CHARACTERS, Message, Thread
from ground.errors import InvalidInput, NotFound
from ground.uuid7 import uuid7
from identity.principal import Principal

RECENT = 10


@dataclass(frozen=True, slots=True)
class Turn:
    """A message before it is kept."""

    role: str
    content: dict[str, Any]
    id: UUID = field(default_factory=uuid7)
    created_at: datetime = field(default_factory=timezone.now)


def owner_of(principal: Principal, resource_id: str | None) -> str:
    """Under whose id a thread is kept: the caller's own, unless the tenant leaves that to the client."""
    if principal.maps_users:
        return resource_id or principal.resource_id
    if not resource_id:
        raise InvalidInput(
            "A resource ID is required when using memory.",
            [{"field": "memory.resource", "message": "required: threads of this tenant do not belong to users"}],
        )
    return resource_id


def open_thread(
    principal: Principal,
    *,
    thread_id: str | None = None,
    resource_id: str | None = None,
    agent_id: str | None = None,
    title: str = "",
    metadata: dict[str, Any] | None = None,
) -> Thread:
    """The thread of this id and owner, made when it does not exist.

    Somebody else's resource id opens what the caller may see of it (the owner's bypass, a grant) and makes nothing:
    without that right it is not found, like a thread that does not exist.
    """
    _check_ids(thread_id, resource_id)
    owner = owner_of(principal, resource_id)
    if principal.maps_users and owner != principal.resource_id:
        return _foreign(principal, owner, thread_id or "")
    made = uuid7()
    with transaction.atomic():
        thread: Thread = Thread.objects.get_or_create(
            tenant_id=principal.tenant_id,
            resource_id=owner,
            thread_id=thread_id or str(made),
            defaults={"id": made, "agent_id": agent_id, "title": title, "metadata": metadata},
        )[0]
    return thread


def find_thread(principal: Principal, *, thread_id: str, resource_id: str | None = None) -> Thread:
    """The existing thread of this id and owner; NotFound when there is none, or it is somebody else's."""
    _check_ids(thread_id, resource_id)
    owner = owner_of(principal, resource_id)
    if principal.maps_users and owner != principal.resource_id:
        return _foreign(principal, owner, thread_id)
    own = Thread.objects.filter(tenant_id=principal.tenant_id)
    found: Thread | None = own.filter(resource_id=owner, thread_id=thread_id).first()
    if found is None:
        raise NotFound(Thread.missing_sentence(thread_id))
    return found


def save_turn(thread: Thread, turns: Sequence[Turn]) -> list[Message]:
    """Keep these messages, all or none, in their order."""
    with transaction.atomic():
        kept = Message.objects.bulk_create(
            Message(
                id=turn.id,
                tenant_id=thread.tenant_id,
                thread=thread,
                role=turn.role,
                content=turn.content,
                created_at=turn.created_at,
            )
            for turn in turns
        )
        thread.updated_at = timezone.now()
        Thread.objects.filter(pk=thread.pk).update(updated_at=thread.updated_at)
    return kept


def recent_messages(thread: Thread, count: int = RECENT) -> list[Message]:
    """The last messages of an opened thread, oldest first."""
    return list(reversed(Message.objects.filter(thread=thread).order_by("-created_at", "-id")[:count]))


def _foreign(principal: Principal, owner: str, thread_id: str) -> Thread:
    visible = Thread.objects.visible_to(principal, "memory:write")
    found: Thread | None = visible.filter(resource_id=owner, thread_id=thread_id).first()
    if found is None:
        raise NotFound(Thread.missing_sentence(thread_id))
    return found


def _check_ids(thread_id: str | None, resource_id: str | None) -> None:
    for name, value in (("memory.thread", thread_id), ("memory.resource", resource_id)):
        if value and (len(value) > ID_CHARACTERS or not is_storable(value)):
            message = f"at most {ID_CHARACTERS} characters, without U+0000 and halves of surrogate pairs"
            raise InvalidInput(issues=[{"field": name, "message": message}])
