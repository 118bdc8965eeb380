"""The audit says the same of a call, whichever way it came."""

from typing import Any

import pytest

from agents.models import Agent
from receipts.models import AuditEntry
from tests.cast import Cast
from tests.gateway.clients import Door

CHANGE = {"agentId": "helper", "name": "New"}
FACTS = (
    "tenant_id", "user_id", "credential_kind", "door", "operation", "tool", "object_type", "object_id", "outcome",
    "status", "dry_run",
)  # fmt: skip


def facts(cast: Cast) -> dict[str, Any]:
    """Of the one entry of a changed agent in this tenant."""
    return AuditEntry.objects.filter(tenant_id=cast.tenant.id, object_type="agent").values(*FACTS).get()


@pytest.mark.parametrize("way", ["direct", "alias", "router", "router direct"])
def test_a_write_leaves_the_same_facts(cast: Cast, door: Door, helper: Agent, way: str) -> None:
    key = cast.ana.issue(["execute_tool", "agent_update"]) if way.startswith("router") else cast.ana.key
    name, arguments = {
        "direct": ("agent_update", CHANGE),
        "alias": ("update_agent", CHANGE),
        "router": ("execute_tool", {"name": "update_agent", "input": CHANGE}),
        "router direct": ("agent_update", CHANGE),
    }[way]

    assert door.call(key, name, arguments).result["isError"] is False

    assert facts(cast) == {
        "tenant_id": cast.tenant.id,
        "user_id": cast.ana.user.id,
        "credential_kind": "api_key",
        "door": "mcp",
        "operation": "patch Agent",
        "tool": "agent_update",
        "object_type": "agent",
        "object_id": "helper",
        "outcome": "ok",
        "status": 200,
        "dry_run": False,
    }


def test_a_dry_run_leaves_its_own_mark(cast: Cast, door: Door, helper: Agent) -> None:
    door.call(cast.ana.key, "agent_update", {**CHANGE, "dry_run": True})

    assert (facts(cast)["outcome"], facts(cast)["dry_run"]) == ("dry_run", True)


def test_a_read_leaves_none(cast: Cast, door: Door) -> None:
    door.call(cast.ana.key, "agent_list")

    assert not AuditEntry.objects.filter(tenant_id=cast.tenant.id, door="mcp").exists()
