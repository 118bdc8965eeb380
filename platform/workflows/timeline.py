"""The steps of a run over time: a row each, with a bar, what is to be said of it, and what it took and gave, folded."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from workflows.drawing import SIGNS, look_of, shortened, spoken

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


class Record(Protocol):
    """What a timeline reads of the record of a step, besides the values of FOLDED."""

    path: str
    status: str
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


def timeline(steps: Iterable[Record], started: datetime | None, ended: datetime | None) -> list[Row]:
    """The rows of a run from `started` to `ended`, or until now; in the order of the steps given."""
    now = timezone.now()
    first = started or now
    span = max(((ended or now) - first).total_seconds(), 0.001)
    left, rows = ALL_CHARACTERS, []
    for record in steps:
        stretches = list(stretches_of(record, ended or now))
        values = tuple(_values(record, left))
        left -= sum(len(value.text) for value in values)
        rows.append(
            Row(
                path=record.path,
                name=shortened(record.path, LONGEST_NAME),
                status=record.status,
                look=look_of(record.status),
                sign=SIGNS[look_of(record.status)],
                said=_said(record, stretches, first),
                bar=_bar(stretches, first, span, look_of(record.status)),
                folded=values,
            )
        )
    return rows


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
