"""Dry runs: the real write, inside a transaction that is rolled back."""

from collections.abc import Callable
from typing import Any

from django.db import connection, transaction

from api.replies import Written


class _Rollback(Exception):
    """Ends the rehearsal."""


def rehearse(write: Callable[[], Any]) -> dict[str, Any]:
    """Run `write` and undo it; what it would do as `{dryRun, would: {action, target, changes}}`.

    Deferred constraints are checked before the rollback, so that a missing reference shows as it would in the real
    write. Whatever waits for the commit (events, tasks, invalidations) never happens.
    """
    written: Written | None = None
    try:
        with transaction.atomic():
            written = write()
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            raise _Rollback
    except _Rollback:
        pass
    if not isinstance(written, Written):
        raise TypeError("An operation with a dry run must answer Written.")
    change = written.change
    target = {"type": change.object_type, "id": change.object_id}
    return {"dryRun": True, "would": {"action": change.action, "target": target, "changes": change.changes()}}
