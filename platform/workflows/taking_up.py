"""A run is taken up by a worker: its rights are what they are now, and its code is what it was pinned with."""

import logging
from uuid import UUID

from django.conf import settings

from credentials.authentication import again
from durable.ledger import Hold, Lost
from durable.models import FAILED
from ground.errors import NotFound, Unauthenticated
from identity.principal import Principal
from workflows.announcing import announce_run
from workflows.definitions import Definition, definition_of, find_workflow_pk
from workflows.engine import LEDGER, advance
from workflows.models import WorkflowRun, WorkflowStep
from workflows.records import read_records

logger = logging.getLogger(__name__)


def take_up(run_id: UUID) -> bool:
    """Take the run as far as it goes; False when there was nothing to do here."""
    run: WorkflowRun | None = LEDGER.claim(run_id)
    if run is None:
        return False
    hold = Hold(run.id, run.fence)
    try:
        _carry_on(run, hold)
    except Lost:
        logger.info("Run %s was taken over by somebody else.", run.id)
    return True


def _carry_on(run: WorkflowRun, hold: Hold) -> None:
    definition = definition_of(run.version_id)
    if run.takings > settings.RUN_TAKINGS:
        end(
            run,
            hold,
            definition,
            f"The run was taken up {settings.RUN_TAKINGS} times without getting any further, and was given up.",
            "GivenUp",
        )
        return
    if (changed := definition.changed) is not None:
        end(run, hold, definition, changed_sentence(changed), "CodeChanged")
        return
    try:
        if run.started_by_id is None:
            raise Unauthenticated
        principal = again(run.tenant_id, run.started_by_id, run.credential_kind, run.credential_id)
        allowed(principal, definition.workflow_id)
    except NotFound:
        end(run, hold, definition, NOT_ALLOWED, "Forbidden")
        return
    except Unauthenticated:
        end(
            run,
            hold,
            definition,
            "The user or the credential that started this run is no longer active; start it anew.",
            "Unauthenticated",
        )
        return
    records = read_records(WorkflowStep.objects.filter(run_id=run.id)) if run.step_count else {}
    advance(run, hold, definition, principal, records, budget=None)


NOT_ALLOWED = "The user who started this run may no longer carry out its workflow."


def allowed(principal: Principal, workflow_id: str) -> None:
    """NotFound when the principal may not carry out the workflow now. One that is disabled starts no new runs."""
    find_workflow_pk(principal, workflow_id, "workflows:execute")


def changed_sentence(name: str) -> str:
    """Why a run cannot go on after its code changed."""
    return f"The code of {name} changed while this run was under way, so it cannot go on; start it anew."


def end(run: WorkflowRun, hold: Hold, definition: Definition, sentence: str, name: str) -> None:
    """The run fails with one sentence."""
    run.error = {"message": sentence, "name": name}
    LEDGER.release(hold, [], status=FAILED, error=run.error, ended_at=True)
    run.status = FAILED
    announce_run(run, definition.workflow_id)
