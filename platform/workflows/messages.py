"""Messages that make a worker look at a run sooner. None of them has to arrive: the sweep finds what is due."""

import asyncio
import logging
from uuid import UUID

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from ground.bridge import in_django, on_background

logger = logging.getLogger(__name__)

TASK = "workflows.tasks.advance_run"
NEAR_SECONDS = 60.0  # sleeps that a timer of this process ends to the moment; longer ones are left to the sweep


def send(run_id: UUID) -> None:
    """Tell a worker, once the running transaction is committed."""
    transaction.on_commit(lambda: send_now(run_id), robust=True)


def send_now(run_id: UUID) -> None:
    """Tell a worker."""
    try:
        current_app.send_task(TASK, args=(str(run_id),), retry=False)
    except (OperationalError, OSError):
        logger.warning("A worker could not be told of run %s; the sweep will find it.", run_id)


def send_at(run_id: UUID, seconds: float) -> None:
    """Tell a worker when a short sleep ends: a timer, no thread."""
    if seconds <= NEAR_SECONDS:
        on_background(_later(run_id, seconds))


async def _later(run_id: UUID, seconds: float) -> None:
    await asyncio.sleep(seconds)
    await in_django(send_now, run_id)
