"""What became of a run's steps: their states for the drawing, and a row each over time, with values folded."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from workflows.drawing import SIGNS, Entry, id_of, look_of, shortened, spoken, steps_of

CHARACTERS = 4_000  # of one folded value
ALL_CHARACTERS = 300_000  # of all of them: a page stays a page
NARROWEST = 0.6  # percent of the width, so that a moment can still be seen
LONGEST_NAME = 48
FOLDED = (
    ("input", "Input"),
    ("output", "Output"),
    ("error", "Error"),
    ("suspend_payload", "Suspended with"),
    ("resume_payload", "Resumed with"),
)
# Of several records of one step (items, iterations) the first of these is shown.
UNSETTLED = ("suspended", "waiting", "running", "resumed")
SHOWN_FIRST = ("failed", *UNSETTLED)


class Placed(Protocol):
    """A record's place in the graph, and what became of it."""

    path: str
    status: str


class Record(Placed, Protocol):
    """What a timeline reads of the record of a step, besides the values of FOLDED."""

    attempts: int
    wake_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    suspended_at: datetime | None
    resumed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a step's time: working, suspended or waiting."""

    kind: str
    begin: datetime
    end: datetime

    @property
    def milliseconds(self) -> float:
        """How long it is."""
        return (self.end - self.begin).total_seconds() * 1000


@dataclass(frozen=True, slots=True)
class Folded:
    """A value as indented JSON; `is_cut`: the rest is left out."""

    title: str
    text: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A step as the page shows it."""

    path: str
    name: str
    status: str
    look: str
    sign: str
    said: str
    bar: SafeString
    folded: tuple[Folded, ...]


def timeline(
    steps: Iterable[Record], started: datetime | None, ended: datetime | None, statuses: Mapping[str, str] | None = None
) -> list[Row]:
    """The rows of a run from `started` to `ended`, or until now; in the order of the steps given.

    `statuses` are those of shown_statuses, where they differ from the records' own.
    """
    now = timezone.now()
    first = started or now
    span = max(((ended or now) - first).total_seconds(), 0.001)
    left, rows = ALL_CHARACTERS, []
    for record in steps:
        stretches = list(stretches_of(record, ended or now))
        status = (statuses or {}).get(record.path, record.status)
        values = tuple(_values(record, left))
        left -= sum(len(value.text) for value in values)
        rows.append(
            Row(
                path=record.path,
                name=shortened(record.path, LONGEST_NAME),
                status=status,
                look=look_of(status),
                sign=SIGNS[look_of(status)],
                said=_said(record, stretches, first),
                bar=_bar(stretches, first, span, look_of(status)),
                folded=values,
            )
        )
    return rows


def statuses_of(step_graph: Sequence[Entry], steps: Iterable[Placed], *, is_over: bool) -> dict[str, str]:
    """The status of each step of the graph, by dotted path: of its items and iterations together.

    Branches that were not taken are skipped.
    """
    found: dict[str, set[str]] = {}
    settled: dict[str, str] = {}
    for path, status in shown_statuses(steps, is_over=is_over).items():
        place = re.sub(r"\[\d+\]|#\d+", "", path)
        found.setdefault(place, set()).add(status)
        if place == path and status not in UNSETTLED:
            settled[place] = status
    merged = {place: settled.get(place) or _merged(statuses) for place, statuses in found.items()}
    return {**merged, **dict.fromkeys(_not_taken(step_graph, merged), "skipped")}


def shown_statuses(steps: Iterable[Placed], *, is_over: bool) -> dict[str, str]:
    """The statuses by path; what holds others (a foreach, a loop, a workflow) is what they are while it is under way.

    What a run that is over left undone counts as canceled.
    """
    own = {record.path: record.status for record in steps}
    inside: dict[str, set[str]] = {path: {status} for path, status in own.items()}
    for path, status in own.items():
        if status in ("failed", "suspended", "waiting"):
            for end in (match.start() for match in re.finditer(r"[.\[#]", path)):
                inside.setdefault(path[:end], set()).add(status)
    shown = {path: _merged(inside[path]) if status in UNSETTLED else status for path, status in own.items()}
    if is_over:
        return {path: "canceled" if status in UNSETTLED else status for path, status in shown.items()}
    return shown


def _merged(statuses: set[str]) -> str:
    return next((status for status in SHOWN_FIRST if status in statuses), min(statuses))


def _not_taken(step_graph: Sequence[Entry], reached: dict[str, str], prefix: str = "") -> Iterator[str]:
    for index, entry in enumerate(step_graph):
        match entry["type"]:
            case "conditional":
                arms = [prefix + id_of(arm) for arm in entry["steps"]]
                next_path = next(steps_of(step_graph[index + 1 : index + 2], prefix), None)
                if next_path in reached or any(arm in reached for arm in arms):
                    yield from (arm for arm in arms if arm not in reached)
                yield from _not_taken(entry["steps"], reached, prefix)
            case "parallel":
                yield from _not_taken(entry["steps"], reached, prefix)
            case "loop" | "foreach":
                yield from _not_taken([entry["step"]], reached, prefix)
            case "workflow":
                yield from _not_taken(entry.get("serializedStepFlow", ()), reached, f"{prefix}{id_of(entry)}.")


def ticks(started: datetime | None, ended: datetime | None) -> list[str]:
    """What stands at the quarters of a timeline."""
    now = timezone.now()
    span = ((ended or now) - (started or now)).total_seconds() * 1000
    return ["0", *(spoken(span * quarter / 4) for quarter in (1, 2, 3, 4))]


def stretches_of(record: Record, until: datetime) -> Iterator[Stretch]:
    """How a step spent its time; what has no end yet lasts `until` now, or the end of its run."""
    begin, end = record.started_at, record.ended_at or until
    if begin is None:
        return
    if record.suspended_at is None:
        sleeps = record.wake_at is not None and record.attempts <= 1  # between attempts it only waits a little
        yield Stretch("waiting" if sleeps else "working", begin, max(begin, end))
        return
    if begin < record.suspended_at:
        yield Stretch("working", begin, record.suspended_at)
    resumed = max(record.resumed_at or end, begin)
    if resumed < record.suspended_at:  # resumed, and suspended again
        resumed = end
    yield Stretch("suspended", record.suspended_at, resumed)
    if resumed < end:
        yield Stretch("working", resumed, end)


def folded(title: str, value: Any, most: int = CHARACTERS) -> Folded:
    """A value as indented JSON, of which no more is made than is shown."""
    text, parts = 0, []
    for part in json.JSONEncoder(indent=2, ensure_ascii=False, default=str).iterencode(value):
        parts.append(part)
        text += len(part)
        if text > most:
            break
    whole = "".join(parts)
    return Folded(title, whole[:most], len(whole) > most)


def _values(record: Record, left: int) -> Iterator[Folded]:
    for name, title in FOLDED:
        value = getattr(record, name)
        if value is not None:
            shown = folded(title, value, max(0, min(CHARACTERS, left)))
            left -= len(shown.text)
            yield shown


def _said(record: Record, stretches: list[Stretch], first: datetime) -> str:
    if not stretches:
        return "not started"
    parts = [f"after {spoken(max(0.0, (stretches[0].begin - first).total_seconds() * 1000))}"]
    for kind, words in (("working", "worked"), ("suspended", "suspended for"), ("waiting", "waited")):
        spent = [stretch.milliseconds for stretch in stretches if stretch.kind == kind]
        parts += [f"{words} {spoken(sum(spent))}"] if spent else []
    if record.attempts > 1:
        parts.append(f"{record.attempts} attempts")
    return ", ".join(parts)


def _bar(stretches: list[Stretch], first: datetime, span: float, look: str) -> SafeString:
    """Of numbers and known words alone, hence safe. Without a viewBox percents are of the width that there is."""
    parts = []
    for stretch in stretches:
        begin = min(max(0.0, (stretch.begin - first).total_seconds() / span * 100), 100 - NARROWEST)
        width = min(max(NARROWEST, stretch.milliseconds / span / 10), 100 - begin)
        parts.append(f'<rect class="{stretch.kind}" x="{begin:.2f}%" y="0" width="{width:.2f}%" height="100%"/>')
    return mark_safe(  # noqa: S308
        f'<svg class="bar is-{look}" width="100%" height="12" aria-hidden="true">{"".join(parts)}</svg>'
    )
