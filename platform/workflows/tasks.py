"""What workers do for runs."""

from uuid import UUID

from celery import shared_task

from workflows.engine import LEDGER
from workflows.messages import send_now
from workflows.taking_up import take_up


@shared_task
def advance_run(run_id: str) -> bool:
    """Take a run as far as it goes; False when there was nothing to do."""
    return take_up(UUID(run_id))


@shared_task
def sweep_runs() -> int:
    """Send a message for every run that is due and has none; returns how many."""
    due = LEDGER.sweep()
    for run_id in due:
        send_now(run_id)
    return len(due)
