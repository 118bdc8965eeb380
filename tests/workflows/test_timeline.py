"""The steps of a run over time: bars in percent, suspended and waiting stretches, and values folded and cut."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from workflows.timeline import folded, shown_statuses, statuses_of, stretches_of, ticks, timeline

START = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """So long after the start."""
    return START + timedelta(seconds=seconds)


@dataclass
class Record:
    """A step's record."""

    path: str = "fetch"
    status: str = "success"
    attempts: int = 1
    input: Any = None
    output: Any = None
    error: Any = None
    suspend_payload: Any = None
    resume_payload: Any = None
    wake_at: datetime | None = None
    started_at: datetime | None = START
    ended_at: datetime | None = None
    suspended_at: datetime | None = None
    resumed_at: datetime | None = None


def rects(bar: str) -> list[tuple[str, ...]]:
    """Kind, beginning and width of what a bar is made of."""
    return re.findall(r'<rect class="(\w+)" x="([\d.]+)%" y="0" width="([\d.]+)%"', bar)


def parts(record: Record, until: float = 100) -> list[tuple[str, float, float]]:
    """The stretches in seconds after the start."""
    return [
        (found.kind, (found.begin - START).total_seconds(), (found.end - START).total_seconds())
        for found in stretches_of(record, at(until))
    ]


def test_a_step_is_a_bar_from_its_beginning_to_its_end() -> None:
    [row] = timeline([Record(started_at=at(1), ended_at=at(3.5), attempts=3)], START, at(10))

    assert rects(row.bar) == [("working", "10.00", "25.00")]
    assert row.said == "after 1 s, worked 2.5 s, 3 attempts"
    assert (row.path, row.status, row.look, row.sign) == ("fetch", "success", "success", "✓")


def test_a_suspended_stretch_lies_between_two_of_work() -> None:
    record = Record(started_at=at(0), suspended_at=at(1), resumed_at=at(9), ended_at=at(10))
    [row] = timeline([record], START, at(10))

    assert rects(row.bar) == [
        ("working", "0.00", "10.00"),
        ("suspended", "10.00", "80.00"),
        ("working", "90.00", "10.00"),
    ]
    assert row.said == "after 0 ms, worked 2 s, suspended for 8 s"


def test_a_suspended_step_lasts_until_now() -> None:
    assert parts(Record(status="suspended", suspended_at=at(1))) == [("working", 0, 1), ("suspended", 1, 100)]


def test_a_step_suspended_again_is_suspended_until_now() -> None:
    record = Record(status="suspended", suspended_at=at(5), resumed_at=at(2))

    assert parts(record) == [("working", 0, 5), ("suspended", 5, 100)]


def test_a_step_that_began_anew_was_suspended_before() -> None:
    record = Record(started_at=at(8), suspended_at=at(1), resumed_at=at(7), ended_at=at(9))

    assert parts(record) == [("suspended", 1, 8), ("working", 8, 9)]


def test_a_sleep_waits() -> None:
    [row] = timeline([Record(path="nap", status="waiting", wake_at=at(60), started_at=at(5))], START, at(10))

    assert rects(row.bar) == [("waiting", "50.00", "50.00")]
    assert row.said == "after 5 s, waited 5 s"
    assert 'class="bar is-waiting"' in row.bar


def test_a_moment_can_still_be_seen_and_never_leaves_the_bar() -> None:
    week = 7 * 86_400
    rows = timeline(
        [Record(ended_at=at(0.001)), Record(started_at=at(week), ended_at=at(week)), Record(started_at=at(-5))],
        START,
        at(week),
    )

    assert [rects(row.bar)[0][1:] for row in rows] == [("0.00", "0.60"), ("99.40", "0.60"), ("0.00", "100.00")]


def test_what_has_not_started_has_no_bar() -> None:
    [row] = timeline([Record(status="pending", started_at=None)], None, None)

    assert (rects(row.bar), row.said, row.look) == ([], "not started", "unreached")


def test_values_are_folded_as_indented_json() -> None:
    [row] = timeline([Record(input={"n": 1}, output=["é"], error={"message": "no"})], START, at(1))

    assert [(value.title, value.text, value.is_cut) for value in row.folded] == [
        ("Input", '{\n  "n": 1\n}', False),
        ("Output", '[\n  "é"\n]', False),
        ("Error", '{\n  "message": "no"\n}', False),
    ]


def test_what_is_falsy_is_shown_and_what_is_missing_is_not() -> None:
    [row] = timeline([Record(input=0, output=False, suspend_payload={}, resume_payload="")], START, at(1))

    assert [value.text for value in row.folded] == ["0", "false", "{}", '""']


def test_a_long_value_is_cut() -> None:
    value = folded("Input", list(range(1_000_000)), 20)

    assert value.is_cut
    assert value.text == "[\n  0,\n  1,\n  2,\n  3"


def test_all_values_of_a_page_are_bounded() -> None:
    rows = timeline([Record(input="x" * 10_000) for _ in range(200)], START, at(1))

    assert sum(len(value.text) for row in rows for value in row.folded) == 300_000
    assert rows[-1].folded[0].is_cut


def test_a_long_path_is_shortened_in_the_row() -> None:
    [row] = timeline([Record(path="x" * 300)], START, at(1))

    assert (len(row.name), row.path) == (48, "x" * 300)


def test_quarters_are_spoken() -> None:
    assert ticks(START, at(2)) == ["0", "500 ms", "1 s", "1.5 s", "2 s"]


def states(*records: tuple[str, str], graph: Any = (), is_over: bool = False) -> dict[str, str]:
    """The states of steps with these paths and statuses."""
    return statuses_of(graph, [Record(path=path, status=status) for path, status in records], is_over=is_over)


def test_items_and_iterations_count_as_their_step() -> None:
    assert states(("each", "running"), ("each[0]", "success"), ("each[1]", "suspended")) == {"each": "suspended"}
    assert states(("add", "running"), ("add#1", "success"), ("add#2", "running")) == {"add": "running"}
    assert states(("each", "running"), ("each[0]", "failed"), ("each[1]", "running")) == {"each": "failed"}
    assert states(("each", "success"), ("each[0]", "bailed"), ("each[1]", "success")) == {"each": "success"}


def test_a_workflow_is_suspended_with_what_is_in_it() -> None:
    found = states(
        ("each", "running"), ("each[0]", "running"), ("each[0].inner", "running"), ("each[0].inner.ask", "suspended")
    )

    assert found == {"each": "suspended", "each.inner": "suspended", "each.inner.ask": "suspended"}


def test_a_workflow_has_failed_with_what_is_in_it() -> None:
    found = states(("inner", "running"), ("inner.a", "failed"), ("inner.b", "running"), is_over=True)

    assert found == {"inner": "failed", "inner.a": "failed", "inner.b": "canceled"}


def test_a_row_says_what_is_in_it() -> None:
    records = [Record(path="each", status="running"), Record(path="each[0]", status="suspended", suspended_at=START)]

    rows = timeline(records, START, None, shown_statuses(records, is_over=False))

    assert [row.status for row in rows] == ["suspended", "suspended"]


def test_what_is_left_undone_in_the_end_is_canceled() -> None:
    records = [("a", "success"), ("b", "failed"), ("c", "running"), ("d", "suspended"), ("e", "waiting")]

    assert states(*records, is_over=True) == {
        "a": "success", "b": "failed", "c": "canceled", "d": "canceled", "e": "canceled",
    }  # fmt: skip


def test_branches_that_were_not_taken_are_skipped() -> None:
    def step(name: str) -> dict[str, Any]:
        return {"type": "step", "step": {"id": name}}

    inner = {"type": "conditional", "steps": [step("c"), step("d")]}
    nested = {"type": "workflow", "id": "b", "workflowId": "b", "serializedStepFlow": [inner]}
    graph = [{"type": "conditional", "steps": [step("a"), nested]}, step("after")]

    assert states(graph=graph) == {}
    assert states(("b", "running"), ("b.d", "running"), graph=graph) == {
        "b": "running", "b.d": "running", "a": "skipped", "b.c": "skipped",
    }  # fmt: skip
    assert states(("after", "running"), graph=graph) == {"after": "running", "a": "skipped", "b": "skipped"}
