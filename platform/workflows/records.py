"""The records of a run's steps while it is under way: read once, changed in memory, kept with the next commit."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from ground.uuid7 import uuid7

RUNNING, SUCCESS, FAILED, SUSPENDED, WAITING = "running", "success", "failed", "suspended", "waiting"
RESUMED, BAILED, CANCELED = "resumed", "bailed", "canceled"
DONE = frozenset({SUCCESS, BAILED})


def now() -> datetime:
    """The time of now, to the millisecond that callers see."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@dataclass(slots=True)
class Record:
    """One step's record, with the fields of durable.StepRecord."""

    path: str
    step_id: str
    position: int
    id: UUID
    status: str = RUNNING
    input: Any = None
    output: Any = None
    error: Any = None
    suspend_payload: Any = None
    resume_payload: Any = None
    metadata: dict[str, Any] | None = None
    attempts: int = 1
    wake_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    suspended_at: datetime | None = None
    resumed_at: datetime | None = None

    def row(self) -> dict[str, Any]:
        """As it is kept."""
        return {name: getattr(self, name) for name in FIELDS}

    @property
    def is_done(self) -> bool:
        """Whether it has an output that counts."""
        return self.status in DONE

    def note(self, **facts: Any) -> None:
        """Add facts to the metadata."""
        self.metadata = {**(self.metadata or {}), **facts}

    def end(self, status: str, *, output: Any = None, error: Any = None) -> None:
        """The step is over."""
        self.status, self.output, self.error, self.ended_at = status, output, error, now()


FIELDS = tuple(field.name for field in fields(Record))


def new_record(path: str, step_id: str, position: int, given: Any) -> Record:
    """The record of a step that begins now."""
    return Record(path, step_id, position, uuid7(), input=given, started_at=now())


def read_records(rows: Any) -> dict[str, Record]:
    """The kept records by path."""
    return {row["path"]: Record(**row) for row in rows.values(*FIELDS)}


def outputs(records: Mapping[str, Record], prefix: str = "") -> dict[str, Any]:
    """The outputs of the steps right below a prefix, by step id, the last iteration's where there are several."""
    return {
        record.step_id: record.output
        for record in sorted(records.values(), key=lambda record: record.position)
        if record.is_done and record.path.rpartition(".")[0] == prefix.removesuffix(".")
    }
