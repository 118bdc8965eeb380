"""Checks of workflows: whether those in Python can be put together, and whether somebody takes up what is due."""

from collections.abc import Iterator
from datetime import timedelta

from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from django.utils import timezone
from psycopg_pool import PoolTimeout

from ground.errors import InvalidInput
from launch.doctor import Check
from workflows import code
from workflows.checking import read_graph
from workflows.functions import known_functions
from workflows.models import WorkflowRun

LATE = timedelta(seconds=60)  # the sweep looks every second


def checks() -> Iterator[Check]:
    """One line for the modules, one for the runs."""
    yield _modules()
    yield _runs()


def _modules() -> Check:
    try:
        found = code.workflows()
    except (ImproperlyConfigured, ValueError, TypeError) as failure:
        return Check("workflow modules", False, f"{failure}; correct the module, or WORKFLOW_MODULES")
    for slug, made in found.items():
        try:
            read_graph(slug, made.written())
        except InvalidInput as refused:
            faults = "; ".join(f"{issue['field']} {issue['message']}" for issue in refused.issues)
            return Check("workflow modules", False, f"the workflow {slug} cannot run: {faults}")
    counted = f"{len(found)} workflows in Python, {len(known_functions())} functions for stored graphs"
    return Check("workflow modules", True, counted)


def _runs() -> Check:
    try:
        late = WorkflowRun.objects.filter(due_at__lt=timezone.now() - LATE).count()
    except (Error, PoolTimeout):
        return Check("workflow runs", False, "cannot be read without the database; mend that first")
    if late:
        return Check("workflow runs", False, f"{late} have been due for over a minute; start a worker and beat")
    return Check("workflow runs", True, "none has been due for over a minute")
