"""A run told as server-sent events: where it stands, then every step, until it is over."""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

import orjson

from credentials.authentication import again
from durable.models import OVER
from events.feed import Feed
from events.seats import seat
from ground.bridge import in_django
from ground.errors import PlatformError
from identity.principal import Principal
from workflows.actions import find_run
from workflows.definitions import find_workflow_pk
from workflows.models import WorkflowRun

QUIET_SECONDS = 5.0  # without an event a sign of life is sent
CHECKED_SECONDS = 4.0  # how often the caller's rights are asked for again


def told(principal: Principal, workflow_id: str, run_id: str, cursor: str | None) -> AsyncGenerator[bytes, None]:
    """Begin at a cursor, or now; NotFound at once for a run that the caller may not see."""
    run = find_run(principal, workflow_id, run_id)
    return _pieces(principal, run, cursor)


async def _pieces(principal: Principal, run: WorkflowRun, cursor: str | None) -> AsyncGenerator[bytes, None]:
    try:
        with seat(principal.credential):
            async with aclosing(_events(principal, run, cursor)) as pieces:
                async for piece in pieces:
                    yield piece
    except PlatformError as refused:  # the answer has begun; this is where it can still be said
        yield _piece("error", refused.body())


async def _events(principal: Principal, run: WorkflowRun, cursor: str | None) -> AsyncGenerator[bytes, None]:
    key = str(run.id)
    async with Feed(principal, cursor) as feed:
        status, checked_at = await in_django(_status, run), time.monotonic()
        yield _piece("status", {"runId": run.run_id, "status": status})
        while status not in OVER:
            entry = await feed.next(QUIET_SECONDS)
            if time.monotonic() - checked_at > CHECKED_SECONDS:
                feed.principal, checked_at = await in_django(_checked, principal, run), time.monotonic()
            if entry is None:
                status = await in_django(_status, run)
                yield _piece("status", {"runId": run.run_id, "status": status}) if status in OVER else b": \n\n"
                continue
            event: Mapping[str, Any] = entry.event
            if event["type"] == "reset":
                status = await in_django(_status, run)
                yield _piece("status", {"runId": run.run_id, "status": status}, entry.id)
            elif event.get("key") == key:
                status = event["status"] if "path" not in event else status
                yield _piece(event["type"], event, entry.id)


def _status(run: WorkflowRun) -> str:
    return WorkflowRun.objects.values_list("status", flat=True).get(pk=run.pk)


def _checked(principal: Principal, run: WorkflowRun) -> Principal:
    """The caller as it is now; raises when the key was revoked, or the run is no longer the caller's to see."""
    credential = principal.credential
    now = again(principal.tenant_id, principal.user_id, credential.kind, credential.id)
    WorkflowRun.objects.get_visible(now, run.run_id)
    find_workflow_pk(now, run.workflow.slug, "workflows:read")
    return now


def _piece(name: str, facts: Any, cursor: str | None = None) -> bytes:
    head = f"id: {cursor}\n" if cursor else ""
    return f"{head}event: {name}\ndata: ".encode() + orjson.dumps(facts) + b"\n\n"
