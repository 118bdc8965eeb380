"""Changing agents. Whatever a caller sees of them changes with a word to every process."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from agents.models import Agent
from ground.errors import Conflict, Forbidden, NotFound
from ground.invalidation import announce
from identity.models import Department
from identity.principal import Principal
from receipts import audit


@dataclass(frozen=True, slots=True)
class Updated:
    """An agent after a change, and the changed fields before and after it."""

    agent: Agent
    before: dict[str, Any]
    after: dict[str, Any]


def find_agent(principal: Principal, agent_id: str, permission: str | None = None) -> Agent:
    """The visible agent with this id; NotFound for a missing and a foreign one alike."""
    found: Agent = Agent.objects.get_visible(principal, agent_id, permission)
    return found


def callable_agent(principal: Principal, agent_id: str) -> Agent:
    """The visible agent, if it can be called now."""
    agent = find_agent(principal, agent_id, "agents:execute")
    if not agent.enabled:
        raise Conflict(f"Agent {agent.slug} is disabled; it can be called again once somebody enables it.")
    return agent


def create_agent(principal: Principal, *, slug: str, name: str, **fields: Any) -> Agent:
    """A new agent of the principal's tenant, authored by the principal's user."""
    agent = Agent(tenant_id=principal.tenant_id, author_id=principal.user_id, slug=slug, name=name, **fields)
    agent.full_clean()
    agent.save()
    agent_changed(agent)
    return agent


def update_agent(principal: Principal, agent_id: str, **changes: Any) -> Updated:
    """Change some of name, description, department_id, enabled, tags; two changes at once follow each other."""
    with transaction.atomic():
        agent = find_agent_locked(principal, agent_id)
        if (department_id := changes.get("department_id")) is not None:
            changes["department_id"] = _department(principal, department_id)
        if "tags" in changes:
            changes["tags"] = list(dict.fromkeys(changes["tags"]))
        before = {name: getattr(agent, name) for name in changes}
        for name, value in changes.items():
            setattr(agent, name, value)
        if changes:
            agent.save(update_fields=[*changes, "updated_at"])
            agent_changed(agent)
    return Updated(agent, before, changes)


@transaction.atomic
def save_agent(principal: Principal, agent: Agent, changed: Iterable[str] = ()) -> Agent:
    """Create or change an agent of the principal's tenant in the admin; `changed` are the names of its fields."""
    check_writes(principal)
    agent.tenant_id = principal.tenant_id
    agent.full_clean()
    agent.save()
    _record(principal, "save agent", agent, changed)
    return agent


@transaction.atomic
def delete_agent(principal: Principal, agent: Agent) -> None:
    """Remove an agent of the principal's tenant for good."""
    check_writes(principal)
    _record(principal, "delete agent", agent)
    agent.delete()


def check_writes(principal: Principal) -> None:
    """Raise Forbidden unless the principal may write agents."""
    if not principal.may("agents:write"):
        raise Forbidden("agents:write")


def find_agent_locked(principal: Principal, agent_id: str) -> Agent:
    """The agent to write, its row locked until the transaction ends."""
    locked = Agent.objects.select_for_update(of=("self",))
    found: Agent = locked.get_visible(principal, agent_id, "agents:write")
    return found


def agent_changed(agent: Agent) -> None:
    """Say that listings of the agent's tenant are not what they were."""
    announce("surface", agent.tenant_id)


def _record(principal: Principal, operation: str, agent: Agent, changed: Iterable[str] = ()) -> None:
    agent_changed(agent)
    audit.record(
        principal, door="admin", operation=operation, object_type="agent", object_id=agent.slug, changed=changed,
        outcome="ok", status=200,
    )  # fmt: skip


def _department(principal: Principal, department_id: UUID) -> UUID:
    """The department, if the caller could see what lies in it."""
    found: Department = Department.objects.get_visible(principal, department_id)
    if not principal.all_departments and found.id not in principal.department_ids:
        raise NotFound(Department.missing_sentence(str(department_id)))
    return found.id
