"""Everything that changes a run: taken up under a lease, written under a fence, one statement each.

Times are the database's own, so that the clocks of processes do not matter. A statement that finds another fence than
its own changes nothing and raises Lost: somebody else holds the run now, or it was canceled.
"""

import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection, models

from durable.models import CANCELED, LOOK, OVER, PAUSE, PAUSED, RUNNING, Run, StepRecord

Changes = Mapping[str, Any]


class Lost(Exception):
    """The run is no longer ours: whatever we did since the last commit does not count."""


class Asked(Exception):
    """Somebody asked something of the holder: nothing was written; read the records again."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A run taken up: the fence guards every write of it."""

    run_id: UUID
    fence: int


@lru_cache(maxsize=2)
def _owner(pid: int) -> str:
    return f"{pid}.{secrets.token_hex(6)}"


def owner() -> str:
    """The name of this process as the holder of leases."""
    return _owner(os.getpid())


def json_text(value: Any) -> str | None:
    """A value as a JSON column takes it; nothing for nothing."""
    return None if value is None else orjson.dumps(value).decode()


class Ledger:
    """The runs of one kind and the records of their steps; `records` has a foreign key named `run`."""

    def __init__(self, runs: type[Run], records: type[StepRecord]) -> None:
        self.runs, self.records = runs, records

    @cached_property
    def _run_table(self) -> str:
        return connection.ops.quote_name(self.runs._meta.db_table)

    @cached_property
    def _record_table(self) -> str:
        return connection.ops.quote_name(self.records._meta.db_table)

    def held(self, run: Run) -> Hold:
        """Make a new row one that this process holds already; it is saved by whoever made it."""
        run.status, run.owner, run.fence, run.takings = RUNNING, owner(), 1, 1
        return Hold(run.id, 1)

    def insert(self, run: Run) -> None:
        """Save a new run that this process holds; in one statement that is put together once."""
        run.created_at = run.updated_at = datetime.now(UTC)
        row = {name: getattr(run, name) for name in self._columns}
        with connection.cursor() as cursor:
            cursor.execute(self._insert, [settings.RUN_LEASE_SECONDS, orjson.dumps(row).decode()])
        run._state.adding = False

    @cached_property
    def _columns(self) -> list[str]:
        return [field.attname for field in self.runs._meta.concrete_fields if field.attname != "due_at"]

    @cached_property
    def _insert(self) -> str:
        names = [connection.ops.quote_name(name) for name in self._columns]
        return (
            f"INSERT INTO {self._run_table} ({', '.join(names)}, due_at)"  # noqa: S608
            f" SELECT {', '.join('run.' + name for name in names)}, clock_timestamp() + %s * interval '1 second'"
            f" FROM jsonb_populate_record(NULL::{self._run_table}, %s::jsonb) AS run"
        )

    def claim(self, run_id: UUID) -> Any:
        """The run, taken up by this process; None when nobody has to, or somebody else holds it."""
        rows = self.runs.objects.raw(
            f"UPDATE {self._run_table} SET status = %s, owner = %s, fence = fence + 1, takings = takings + 1,"  # noqa: S608
            " due_at = clock_timestamp() + %s * interval '1 second', messaged_at = NULL, control = '',"
            " updated_at = clock_timestamp() WHERE id = %s AND due_at <= clock_timestamp() RETURNING *",
            [RUNNING, owner(), settings.RUN_LEASE_SECONDS, run_id],
        )
        return next(iter(rows), None)

    def take(self, run: Run, resumed: Sequence[UUID] = (), payload: Any = None, **changes: Any) -> Hold | None:
        """Give suspended steps what they wait for, and take up their run, whose row the caller has locked.

        None while somebody holds the run: whoever it is was asked to look.
        """
        given: list[Any] = [json_text(payload), run.id, list(resumed)]
        if run.owner:
            with connection.cursor() as cursor:
                cursor.execute(self._give, given)
            self.ask(run.id, LOOK)
            return None
        run.status, run.owner, run.fence, run.takings = RUNNING, owner(), run.fence + 1, 1
        assignments, values = self._assignments({
            "status": RUNNING, "owner": run.owner, "fence": run.fence, "takings": 1, "control": "",
            "due_in": settings.RUN_LEASE_SECONDS, "messaged_at": None, **changes,
        })  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(
                f"WITH given AS ({self._give}) UPDATE {self._run_table} SET {assignments} WHERE id = %s",  # noqa: S608
                [*given, *values, run.id],
            )
        return Hold(run.id, run.fence)

    @cached_property
    def _give(self) -> str:
        return (
            f"UPDATE {self._record_table} SET status = 'resumed', resume_payload = %s::jsonb,"  # noqa: S608
            " resumed_at = clock_timestamp() WHERE run_id = %s AND id = ANY(%s) AND status = 'suspended' RETURNING 1"
        )

    def renew(self, holds: Iterable[Hold]) -> dict[UUID, str]:
        """Lengthen the leases; what is asked of each run that is still ours."""
        kept = {hold.run_id: hold.fence for hold in holds}
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {self._run_table} AS run SET due_at = clock_timestamp() + %s * interval '1 second'"  # noqa: S608
                " FROM unnest(%s::uuid[], %s::bigint[]) AS held(id, fence)"
                " WHERE run.id = held.id AND run.fence = held.fence RETURNING run.id, run.control",
                [settings.RUN_LEASE_SECONDS, list(kept), list(kept.values())],
            )
            return dict(cursor.fetchall())

    def commit(self, hold: Hold, records: Sequence[Changes], **changes: Any) -> str:
        """Keep what was done, and the lease; what is asked of the holder, or nothing."""
        changes = {"takings": 0, "due_in": settings.RUN_LEASE_SECONDS, **changes}
        return self._write(hold, records, changes, guard="")

    def release(self, hold: Hold, records: Sequence[Changes], *, answering: str = "", **changes: Any) -> None:
        """Keep what was done and let the run go; Asked when the holder was asked for something but this meanwhile.

        `status` says why; `due_in` seconds until somebody takes it up again (absent: nobody has to). A run that is
        over keeps no question.
        """
        changes = {"due_in": None, "owner": "", "takings": 0, "messaged_at": None, "control": "", **changes}
        guard = "" if changes.get("status") in OVER else f" AND control IN ('', '{answering}')"
        self._write(hold, records, changes, guard)

    def _write(self, hold: Hold, records: Sequence[Changes], changes: Changes, guard: str) -> str:
        assignments, values = self._assignments(changes)
        update = f"UPDATE {self._run_table} SET {assignments} WHERE id = %s AND fence = %s{guard} RETURNING id, control"  # noqa: S608
        values += [hold.run_id, hold.fence]
        if records:
            rows = [{"run_id": hold.run_id, **record} for record in records]
            update = f"WITH held AS ({update}) {self._upsert} RETURNING (SELECT control FROM held)"  # noqa: S608
            values.append(orjson.dumps(rows).decode())
        with connection.cursor() as cursor:
            cursor.execute(update, values)
            row = cursor.fetchone()
        if row is None:
            raise self._refusal(hold)
        return str(row[0] if records else row[1])

    @cached_property
    def _upsert(self) -> str:
        names = [connection.ops.quote_name(str(field.column)) for field in self.records._meta.concrete_fields]
        updated = ", ".join(f"{name} = excluded.{name}" for name in names if name not in ('"id"', '"run_id"', '"path"'))
        return (
            f"INSERT INTO {self._record_table} ({', '.join(names)})"  # noqa: S608
            f" SELECT {', '.join('record.' + name for name in names)}"
            f" FROM held, jsonb_populate_recordset(NULL::{self._record_table}, %s::jsonb) AS record"
            f' ON CONFLICT ("run_id", "path") DO UPDATE SET {updated}'
        )

    def _refusal(self, hold: Hold) -> Exception:
        still = self.runs.objects.filter(pk=hold.run_id, fence=hold.fence).exists()
        return Asked() if still else Lost()

    def _assignments(self, changes: Changes) -> tuple[str, list[Any]]:
        parts, values = ["updated_at = clock_timestamp()"], []
        for name, value in changes.items():
            column = connection.ops.quote_name(name)
            match name:
                case "due_in":
                    parts.append("due_at = clock_timestamp() + %s * interval '1 second'")
                    values.append(value)
                case "deadline_in":  # moved on by so many seconds
                    parts.append("deadline_at = deadline_at + %s * interval '1 second'")
                    values.append(value)
                case "ended_at" | "messaged_at" if value is True:
                    parts.append(f"{column} = clock_timestamp()")
                case _:
                    is_json = isinstance(self.runs._meta.get_field(name), models.JSONField)
                    parts.append(f"{column} = %s" + ("::jsonb" if is_json else ""))
                    values.append(json_text(value) if is_json else value)
        return ", ".join(parts), values

    def _change(self, where: str, found_by: list[Any], **changes: Any) -> int:
        assignments, values = self._assignments(changes)
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE {self._run_table} SET {assignments} WHERE {where}", [*values, *found_by])  # noqa: S608
            return int(cursor.rowcount)

    def cancel(self, run_id: UUID, **changes: Any) -> bool:
        """End the run at once, whoever holds it; False when it is over already."""
        where = "id = %s AND NOT status = ANY(%s)"
        raised = {"status": CANCELED, "owner": "", "due_in": None, "ended_at": True, **changes}
        assignments, values = self._assignments(raised)
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {self._run_table} SET fence = fence + 1, {assignments} WHERE {where}",  # noqa: S608
                [*values, run_id, sorted(OVER)],
            )
            return bool(cursor.rowcount == 1)

    def pause(self, run_id: UUID) -> bool:
        """Stop the run after the step that is under way; False when it is over or paused already."""
        if self._change("id = %s AND owner = '' AND NOT status = ANY(%s)", [run_id, [*OVER, PAUSED]],
                        status=PAUSED, due_in=None):  # fmt: skip
            return True
        return self.ask(run_id, PAUSE)

    def ask(self, run_id: UUID, what: str) -> bool:
        """Ask something of whoever holds the run; it is heard at the next commit or heartbeat.

        Who is to pause is not asked to look: it reads everything anew when it goes on.
        """
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {self._run_table} SET control = CASE WHEN control = %s THEN control ELSE %s END"  # noqa: S608
                " WHERE id = %s AND owner <> ''",
                [PAUSE, what, run_id],
            )
            return bool(cursor.rowcount)

    def sweep(self, limit: int = 1000) -> list[UUID]:
        """The runs that somebody should take up and no message tells of: lapsed leases, ended sleeps, lost messages."""
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {self._run_table} SET messaged_at = clock_timestamp() WHERE id IN ("  # noqa: S608
                f"SELECT id FROM {self._run_table} WHERE due_at <= clock_timestamp()"
                " AND (messaged_at IS NULL OR messaged_at < clock_timestamp() - %s * interval '1 second')"
                " ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED) RETURNING id",
                [settings.RUN_MESSAGE_SECONDS, limit],
            )
            return [row[0] for row in cursor.fetchall()]
