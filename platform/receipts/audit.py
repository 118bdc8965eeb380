"""Writes down who did what, through which door, and how it ended."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson
from django.db import Error as DatabaseFailure
from django.db import connection, transaction
from psycopg_pool import PoolTimeout

from ground.redaction import redact
from identity.principal import Principal
from receipts import refusals
from receipts.models import AuditEntry

logger = logging.getLogger(__name__)

REFUSED_ROWS_A_MINUTE = 30  # of one credential in one process; what is beyond is counted


def record(
    principal: Principal | None,
    *,
    door: str,
    operation: str,
    tool: str | None = None,
    object_type: str | None = None,
    object_id: str | None = None,
    changed: Iterable[str] = (),
    outcome: str,
    status: int,
    duration_ms: float = 0.0,
    request_id: str | None = None,
    trace_id: str | None = None,
    dry_run: bool = False,
    tenant_id: UUID | None = None,
) -> None:
    """Write one entry. `changed` are names of fields; values and arguments have no place here.

    Never raises for the database: what is written down has happened, and an error would make the caller repeat it. An
    entry that cannot be written goes to the log, whole.
    """
    entry = AuditEntry(
        door=door,
        operation=_fit(operation, 200),
        tool=_fit(tool, 200),
        object_type=_fit(object_type, 60),
        object_id=_fit(object_id, 200),
        changed=[_fit(name, 100) for name in changed],
        outcome=outcome,
        status=status,
        duration_ms=round(duration_ms, 3),
        request_id=_fit(request_id, 100),
        trace_id=_fit(trace_id, 64),
        dry_run=dry_run,
        **({"tenant_id": tenant_id} | _who(principal)),
    )
    try:
        _insert(entry)
    except (DatabaseFailure, PoolTimeout):
        logger.critical("An audit entry could not be written: %s", _shown(entry), exc_info=True)


def record_refusal(
    principal: Principal | None,
    *,
    door: str,
    operation: str,
    status: int,
    tool: str | None = None,
    address: str | None = None,
    request_id: str | None = None,
) -> None:
    """Write down a call that was refused before any operation ran; `operation` is a word of ours, not the caller's.

    A flood never becomes a flood of rows: calls without a known credential are counted by address and minute, and so
    is what a credential sends beyond thirty refused calls a minute.
    """
    if principal is not None and _rows.take(principal.credential.kind, principal.credential.id):
        record(
            principal,
            door=door,
            operation=operation,
            tool=tool,
            outcome="refused",
            status=status,
            request_id=request_id,
        )
        return
    refusals.count(_who(principal), door=door, operation=operation, status=status, address=_fit(address, 100))


def _who(principal: Principal | None) -> dict[str, Any]:
    if principal is None:
        return {}
    credential = principal.credential
    return {
        "tenant_id": principal.tenant_id,
        "user_id": principal.user_id,
        "credential_kind": credential.kind,
        "credential_id": _fit(credential.id, 100),
        "credential_label": _fit(credential.label, 200),
    }


def _insert(entry: AuditEntry) -> None:
    if connection.in_atomic_block:
        with transaction.atomic():  # a failure must not spoil the caller's transaction
            _write(entry)
    else:
        _write(entry)


def _write(entry: AuditEntry) -> None:
    """One statement that is put together once: there is an entry for every write of the platform."""
    with connection.cursor() as cursor:
        cursor.execute(_statement(), [orjson.dumps(_shown(entry)).decode()])


@lru_cache(maxsize=1)
def _statement() -> str:
    quoted = connection.ops.quote_name
    names = [quoted(str(field.column)) for field in AuditEntry._meta.concrete_fields]
    table = quoted(AuditEntry._meta.db_table)
    return (
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join('entry.' + name for name in names)}"  # noqa: S608
        f" FROM jsonb_populate_record(NULL::{table}, %s::jsonb) AS entry"
    )


def _fit(text: str | None, length: int) -> str:
    """The text as a column takes it: cut, without secrets, NUL and broken characters."""
    if not text:
        return ""
    return redact(str(text).replace("\x00", "").encode("utf-8", "replace").decode())[:length]


def _shown(entry: AuditEntry) -> dict[str, Any]:
    return {field.attname: getattr(entry, field.attname) for field in AuditEntry._meta.concrete_fields}


class _Rows:
    """How many rows of refusals each credential wrote in this minute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._minute, self._written = 0, Counter[tuple[str, str]]()

    def take(self, kind: str, credential_id: str) -> bool:
        """Whether one more may be written."""
        minute = int(time.monotonic() // 60)
        with self._lock:
            if minute != self._minute:
                self._minute, self._written = minute, Counter()
            self._written[kind, credential_id] += 1
            return self._written[kind, credential_id] <= REFUSED_ROWS_A_MINUTE


_rows = _Rows()
