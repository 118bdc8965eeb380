"""Starting, resuming and cancelling runs."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import IntegrityError, transaction

from credentials.authentication import again
from durable.ledger import Hold
from durable.models import PAUSED, SUSPENDED
from events.publishing import batch
from ground.errors import Conflict, InvalidInput, NotFound, Unauthenticated
from ground.uuid7 import uuid7
from identity.principal import Principal
from inference.tracing import trace_ids
from workflows import resuming
from workflows.announcing import announce_run
from workflows.definitions import Definition, definition_of, find_workflow_pk, input_fault, runnable
from workflows.engine import LEDGER, advance
from workflows.messages import send
from workflows.models import RUN_ID_CHARACTERS, WorkflowRun, WorkflowStep
from workflows.records import RESUMED, Record, now, read_records
from workflows.taking_up import NOT_ALLOWED, allowed, changed_sentence
from workflows.values import check_given


@dataclass(slots=True)
class Progress:
    """A run after a call, with its records as far as they are known; None: read them."""

    run: WorkflowRun
    definition: Definition
    records: dict[str, Record] | None = None


def start_run(
    principal: Principal,
    workflow_id: str,
    *,
    given: Any = None,
    run_id: str | None = None,
    initial_state: dict[str, Any] | None = None,
    resource_id: str | None = None,
    request_context: dict[str, Any] | None = None,
    per_step: bool = False,
) -> Progress:
    """Start a run and take it as far as it goes at once.

    The same run id again, by the same caller: with equal input the run as it is, else Conflict. Nothing is left of a
    start that is refused.
    """
    definition = runnable(principal, workflow_id)
    _check(definition, given, run_id)
    check_given([initial_state, request_context], "initialState and requestContext")
    if principal.maps_users and resource_id not in (None, principal.resource_id):
        raise NotFound("Resource not found")
    run = WorkflowRun(
        id=uuid7(),
        tenant_id=principal.tenant_id,
        workflow_id=definition.workflow_pk,
        version_id=definition.version_pk,
        run_id=run_id or str(uuid4()),
        resource_id=resource_id or principal.resource_id,
        started_by_id=principal.user_id,
        credential_kind=principal.credential.kind,
        credential_id=principal.credential.id,
        input=given,
        initial_state=initial_state,
        request_context=request_context,
        trace_id=trace_ids().trace_id,
        per_step=per_step,
    )
    hold = LEDGER.held(run)
    run.deadline_at = datetime.now(UTC) + timedelta(seconds=_deadline(definition))
    if not _kept(run, chosen=run_id is not None):
        return _again(principal, definition, run)
    with batch():
        announce_run(run, definition.workflow_id)
        return _advanced(run, hold, definition, principal, {})


def _kept(run: WorkflowRun, *, chosen: bool) -> bool:
    """Whether the row could be made; False when the caller has a run of this id already."""
    is_inside = transaction.get_connection().in_atomic_block
    held: AbstractContextManager[Any] = transaction.atomic() if is_inside and chosen else nullcontext()
    try:
        with held:
            LEDGER.insert(run)
    except IntegrityError:
        if chosen:
            return False
        raise
    return True


def _check(definition: Definition, given: Any, run_id: str | None) -> None:
    check_given(given, "inputData")
    if fault := input_fault(definition.body, given):
        raise InvalidInput(fault)
    if run_id is not None and not 0 < len(run_id) <= RUN_ID_CHARACTERS:
        raise InvalidInput(issues=[{"field": "runId", "message": f"must have 1 to {RUN_ID_CHARACTERS} characters"}])


def _deadline(definition: Definition) -> float:
    return float(definition.body.get("deadline", settings.RUN_DEADLINE_SECONDS))


def _again(principal: Principal, definition: Definition, wanted: WorkflowRun) -> Progress:
    found: WorkflowRun | None = (
        WorkflowRun.objects.visible_to(principal, "workflows:execute")
        .filter(workflow_id=definition.workflow_pk, resource_id=wanted.resource_id, run_id=wanted.run_id)
        .first()
    )
    if found is None:  # a resource id that several people use
        raise Conflict("This runId is taken; choose another.")
    if (found.input, found.initial_state) != (wanted.input, wanted.initial_state):
        raise Conflict(
            "You have started another run of this workflow under this runId, with other input; choose another."
        )
    return Progress(found, definition_of(found.version_id))


def _advanced(
    run: WorkflowRun, hold: Hold, definition: Definition, principal: Principal, records: dict[str, Record]
) -> Progress:
    """Take the run as far as quick steps go; what is left has been handed to a worker."""
    if transaction.get_connection().in_atomic_block:
        # Nobody sees the run before the commit, so it cannot be advanced here.
        LEDGER.release(hold, [], due_in=0, messaged_at=True)
        send(run.id)
        return Progress(run, definition)
    walk = advance(run, hold, definition, principal, records, budget=settings.RUN_INLINE_SECONDS)
    return Progress(run, definition, walk.records if walk is not None else None)


def find_run(
    principal: Principal, workflow_id: str, run_id: str, permission: str | None = None, *, lock: bool = False
) -> WorkflowRun:
    """The run with this id that the caller may see, the own one first; NotFound for everything else."""
    workflow_pk = find_workflow_pk(principal, workflow_id, permission)
    found = WorkflowRun.objects.visible_to(principal, permission).by_public_id(run_id).filter(workflow=workflow_pk)
    rows = found.select_for_update() if lock else found
    runs: list[WorkflowRun] = sorted(rows[:100], key=lambda run: run.started_by_id != principal.user_id)
    if not runs:
        raise NotFound("Workflow run not found")
    return runs[0]


def resume_run(principal: Principal, workflow_id: str, run_id: str, **given: Any) -> Progress:
    """As `resume`, of the run with this id."""
    with transaction.atomic():
        run = find_run(principal, workflow_id, run_id, "workflows:execute", lock=True)
        resumed = _resumed(principal, run, **given)
    return _gone_on(resumed)


def resume(principal: Principal, found: WorkflowRun, **given: Any) -> Progress:
    """Give a suspended step what it waits for, and take the run as far as it goes at once.

    `step`, `label` and `item` choose among several; `resume_data` is what they get. InvalidInput: no such step, or more
    than one and none named. Conflict: it does not wait (any more).
    """
    with transaction.atomic():
        run: WorkflowRun = WorkflowRun.objects.select_for_update().get(pk=found.pk)
        resumed = _resumed(principal, run, **given)
    return _gone_on(resumed)


@dataclass(frozen=True, slots=True)
class _Resumed:
    """A run that was given what it waits for; `hold` None: somebody else holds it, and was told."""

    run: WorkflowRun
    definition: Definition
    starter: Principal
    hold: Hold | None
    records: dict[str, Record]


def _resumed(
    principal: Principal,
    run: WorkflowRun,
    *,
    step: Sequence[str | int] | None = None,
    label: str | None = None,
    item: int | None = None,
    resume_data: Any = None,
    request_context: dict[str, Any] | None = None,
    per_step: bool = False,
) -> _Resumed:
    check_given([resume_data, request_context], "resumeData and requestContext")
    definition = definition_of(run.version_id)
    starter = _starter(principal, run, definition.workflow_id)
    if (changed := definition.changed) is not None:
        raise Conflict(changed_sentence(changed))
    records = read_records(WorkflowStep.objects.filter(run_id=run.id))
    chosen: list[Record] = []
    data = None
    if run.status != PAUSED or step is not None or label is not None:
        chosen = resuming.chosen(run, records, step=step, label=label, item=item)
        data = resuming.fitting(definition, chosen, resume_data)
    stood = (datetime.now(UTC) - run.updated_at).total_seconds() if run.status in (SUSPENDED, PAUSED) else 0.0
    run.per_step = per_step
    if request_context:
        run.request_context = {**(run.request_context or {}), **request_context}
    ids = [record.id for record in chosen]
    hold = LEDGER.take(run, ids, data, deadline_in=stood, per_step=per_step, request_context=run.request_context)
    for record in chosen:
        record.status, record.resume_payload, record.resumed_at = RESUMED, data, now()
    if run.deadline_at is not None:
        run.deadline_at += timedelta(seconds=stood)
    return _Resumed(run, definition, starter, hold, records)


def _gone_on(resumed: _Resumed) -> Progress:
    run, definition = resumed.run, resumed.definition
    if resumed.hold is None:
        return Progress(run, definition)
    with batch():
        announce_run(run, definition.workflow_id)
        return _advanced(run, resumed.hold, definition, resumed.starter, resumed.records)


def _starter(principal: Principal, run: WorkflowRun, workflow_id: str) -> Principal:
    """Who the run belongs to, with the rights of now: a run never does what only somebody else may do."""
    credential = principal.credential
    if (run.started_by_id, run.credential_kind, run.credential_id) == (
        principal.user_id,
        credential.kind,
        credential.id,
    ):
        return principal
    try:
        if run.started_by_id is None:
            raise Unauthenticated
        starter = again(run.tenant_id, run.started_by_id, run.credential_kind, run.credential_id)
        allowed(starter, workflow_id)
    except NotFound:
        raise Conflict(NOT_ALLOWED) from None
    except Unauthenticated:
        raise Conflict("The user or the credential that started this run is no longer active; start it anew.") from None
    return starter


def cancel_run(principal: Principal, workflow_id: str, run_id: str) -> WorkflowRun:
    """As `cancel`, of the run with this id."""
    return cancel(find_run(principal, workflow_id, run_id, "workflows:execute"), workflow_id)


def cancel(run: WorkflowRun, workflow_id: str) -> WorkflowRun:
    """End a run that is not over, at once; Conflict when it is. The caller has found it as one that may be ended."""
    if not LEDGER.cancel(run.id):
        run.refresh_from_db(fields=["status"])
        raise Conflict(f"This workflow run is over ({run.status}) and cannot be cancelled.")
    run.status = "canceled"
    announce_run(run, workflow_id)
    return run
