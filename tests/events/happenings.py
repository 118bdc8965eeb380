"""Events of the tests, and what the log says of them."""

from typing import Any
from uuid import UUID, uuid4

import orjson

from events.entries import name_of
from events.types import RunEvent
from ground import valkey
from tests.cast import Cast

FINISHED = "workflow.run.finished"


def run_event(run_id: str = "r1", key: str | None = None) -> RunEvent:
    """A run that has finished."""
    return {
        "type": "workflow.run.finished",
        "at": "2026-01-01T00:00:00.000Z",
        "workflowId": "greet",
        "runId": run_id,
        "key": key or str(uuid4()),
        "status": "success",
    }


def logged(tenant_id: UUID) -> list[list[Any]]:
    """User, permission and event of every entry of a tenant's log."""
    found: Any = valkey.client().xrange(name_of(tenant_id))
    bodies = [orjson.loads(fields[b"e"]) for _, fields in found]
    assert [department for _, _, department, _ in bodies] == [None] * len(bodies)
    return [[user_id, permission, event] for user_id, permission, _, event in bodies]


def run_ids(cast: Cast) -> list[str]:
    """Of which runs the log of the cast's tenant tells, in order."""
    return [event["runId"] for _, _, event in logged(cast.tenant.id)]
