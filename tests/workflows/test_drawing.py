"""Graphs as pictures: every kind of entry, states by class, nothing unescaped, and large ones at once."""

import json
import re
import time
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

from workflows.drawing import draw, shortened, spoken, spoken_condition, steps_of

EXISTS = {"op": "exists", "path": "a"}
SVG = "{http://www.w3.org/2000/svg}"
INNER = {
    "type": "workflow", "id": "inner", "workflowId": "approval",
    "serializedStepFlow": [
        {"type": "step", "step": {"id": "add", "canSuspend": False}},
        {"type": "step", "step": {"id": "approve", "canSuspend": True}},
    ],
}  # fmt: skip


def step(step_id: str, **more: Any) -> dict[str, Any]:
    """An entry of one step."""
    return {"type": "step", "step": {"id": step_id, "canSuspend": False, **more}}


def drawn(*entries: dict[str, Any], statuses: dict[str, str] | None = None) -> Element:
    """The picture, read back."""
    return fromstring(draw(entries, statuses))  # noqa: S314  # our own text


def nodes(picture: Element) -> dict[str, str]:
    """The classes of the nodes by their paths, in order."""
    return {
        group.attrib["data-path"]: group.attrib["class"]
        for group in picture.iter(f"{SVG}g")
        if "data-path" in group.attrib
    }


def classes(picture: Element, name: str) -> list[Element]:
    """Whatever has this class."""
    return [element for element in picture.iter() if name in element.attrib.get("class", "").split()]


def texts(picture: Element, name: str) -> list[str | None]:
    """What the texts of this class say."""
    return [element.text for element in classes(picture, name) if element.tag == f"{SVG}text"]


def test_steps_stand_one_under_the_other() -> None:
    picture = drawn(step("fetch"), step("send"))

    first, second = classes(picture, "shape")
    assert nodes(picture) == {"fetch": "node step", "send": "node step"}
    assert first.attrib["x"] == second.attrib["x"]
    assert int(second.attrib["y"]) == int(first.attrib["y"]) + 40 + 26
    assert texts(picture, "label") == ["fetch", "send"]
    assert len(classes(picture, "edge")) == 3
    assert len(classes(picture, "start")) == len(classes(picture, "end")) == 1


def test_the_picture_says_what_it_is() -> None:
    picture = drawn(
        step("fetch"), INNER, statuses={"fetch": "success", "inner": "suspended", "inner.approve": "suspended"}
    )

    assert picture.attrib["role"] == "img"
    assert picture.attrib["viewBox"] == f"0 0 {picture.attrib['width']} {picture.attrib['height']}"
    assert picture[0].text == "Graph of 4 steps: 1 success, 2 suspended, 1 not reached"
    assert picture[1].text == "fetch, inner, inner.add, inner.approve"


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (step("x"), "step"),
        (step("x", component="AGENT"), "agent"),
        (step("x", component="TOOL"), "tool"),
        (step("x", component="<b>"), "step"),
        ({"type": "agent", "step": {"id": "x"}}, "agent"),
        ({"type": "tool", "id": "x"}, "tool"),
        ({"type": "mapping", "id": "x", "mapConfig": "{}"}, "mapping"),
        ({"type": "sleep", "id": "x", "duration": 10}, "sleep"),
        ({"type": "sleepUntil", "id": "x", "date": "2026-12-01T10:00:00.000Z"}, "sleep"),
        ({"type": "workflow", "id": "x", "workflowId": "x", "serializedStepFlow": []}, "workflow"),
    ],
)
def test_every_kind_has_its_mark(entry: dict[str, Any], kind: str) -> None:
    picture = drawn(entry)

    assert nodes(picture) == {"x": f"node {kind}"}
    assert len(classes(picture, "mark")) == 1


def test_a_step_that_may_suspend_has_a_second_mark() -> None:
    assert len(classes(drawn(step("approve", canSuspend=True)), "mark")) == 2


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"type": "sleep", "id": "s", "duration": 90_000}, "sleep 1 min 30 s"),
        ({"type": "sleep", "id": "s", "duration": "input.pause"}, "sleep, computed"),
        ({"type": "sleep", "id": "s", "fn": "lambda: 1"}, "sleep, computed"),
        ({"type": "sleepUntil", "id": "s", "date": "2026-12-01T10:00:00.000Z"}, "until 2026-12-01 10:00"),
        ({"type": "sleepUntil", "id": "s", "date": "input.due"}, "until a computed time"),
    ],
)
def test_a_pause_says_how_long(entry: dict[str, Any], said: str) -> None:
    assert texts(drawn(entry), "label") == [said]


def test_parallel_steps_stand_side_by_side_between_a_fork_and_a_join() -> None:
    picture = drawn({"type": "parallel", "steps": [step("a"), step("b"), step("c")]})

    [group] = classes(picture, "parallel")
    shapes = classes(group, "shape")
    assert len({shape.attrib["y"] for shape in shapes}) == 1
    assert [int(shape.attrib["x"]) for shape in shapes] == [16, 16 + 136, 16 + 2 * 136]
    assert len(classes(group, "edge")) == 6
    assert texts(group, "label") == ["a", "b", "c"]


def test_branches_stand_under_their_conditions() -> None:
    greater = json.dumps({"op": "gt", "left": {"path": "input.n"}, "right": {"literal": 10}})
    conditions = [{"id": "a-condition", "fn": greater}, {"id": "b-condition", "fn": "lambda n: n <= 10"}]
    picture = drawn({"type": "conditional", "steps": [step("a"), step("b")], "serializedConditions": conditions})

    [group] = classes(picture, "conditional")
    assert len(classes(group, "fork")) == 1
    assert texts(group, "label") == ["input.n > 10", "a", "lambda n: n <= 10", "b"]
    assert [condition[0].text for condition in classes(group, "condition")] == [greater, "lambda n: n <= 10"]


def test_what_is_repeated_stands_in_a_frame_with_an_arrow_back() -> None:
    loop = {
        "type": "loop",
        "step": step("add"),
        "loopType": "dountil",
        "serializedCondition": {"id": "c", "fn": "n >= 5"},
    }
    each = {"type": "foreach", "step": step("each"), "opts": {"concurrency": 3}}
    picture = drawn(loop, each, {**loop, "loopType": "dowhile"}, {**each, "opts": {"concurrency": 1}})

    assert texts(picture, "header") == [
        "repeat until n >= 5", "for each, 3 at a time", "repeat while n >= 5", "for each, one at a time",
    ]  # fmt: skip
    assert [len(classes(picture, name)) for name in ("loop", "foreach", "frame", "return")] == [2, 2, 4, 4]


def test_a_nested_workflow_holds_its_own_flow() -> None:
    picture = drawn(INNER)

    assert nodes(picture) == {"inner": "node workflow", "inner.add": "node step", "inner.approve": "node step"}
    [frame] = classes(picture, "frame")
    left, top = int(frame.attrib["x"]), int(frame.attrib["y"])
    for shape in classes(picture, "shape"):
        assert left < int(shape.attrib["x"]) < left + int(frame.attrib["width"]) - int(shape.attrib["width"])
        assert top < int(shape.attrib["y"]) < top + int(frame.attrib["height"]) - int(shape.attrib["height"])


@pytest.mark.parametrize(
    ("status", "look", "sign"),
    [
        ("success", "success", "✓"),
        ("bailed", "success", "✓"),
        ("failed", "failed", "✕"),
        ("tripwire", "failed", "✕"),
        ("suspended", "suspended", "‖"),
        ("paused", "suspended", "‖"),
        ("waiting", "waiting", "…"),
        ("running", "running", "▸"),
        ("canceled", "canceled", "■"),
        ("skipped", "skipped", "↷"),
    ],
)
def test_a_step_is_coloured_by_its_status(status: str, look: str, sign: str) -> None:
    picture = drawn(step("a"), statuses={"a": status})

    assert nodes(picture) == {"a": f"node step is-{look}"}
    assert texts(picture, "sign") == [sign]
    assert classes(picture, "node")[0][0].text == f"a: {status}"


def test_what_was_not_reached_is_told_apart() -> None:
    picture = drawn(INNER, statuses={"inner": "running", "inner.add": "success"})

    assert nodes(picture)["inner.approve"] == "node step is-unreached"
    assert classes(picture, "node")[2][0].text == "inner.approve: not reached"
    assert texts(picture, "sign") == ["✓"]


def test_without_a_run_nothing_has_a_state() -> None:
    assert "is-" not in draw([INNER])


def test_whatever_a_workflow_says_is_text() -> None:
    evil = '<script>alert("1")</script>'
    condition = {"id": "c", "fn": evil}
    svg = draw(
        [
            step(evil, description=evil, component=evil),
            {"type": "mapping", "id": evil, "mapConfig": evil},
            {"type": "sleep", "id": evil, "duration": 1},
            {"type": "sleepUntil", "id": evil, "date": evil},
            {"type": "conditional", "steps": [step("a")], "serializedConditions": [condition]},
            {"type": "loop", "step": step("b"), "loopType": evil, "serializedCondition": condition},
            {"type": "foreach", "step": step("c"), "opts": {"concurrency": evil}},
            {"type": "workflow", "id": evil, "workflowId": evil, "serializedStepFlow": [step(evil)]},
        ],
        {evil: evil},
    )

    picture = fromstring(svg)  # noqa: S314  # our own text
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} == {
        "svg", "title", "desc", "g", "rect", "path", "text", "circle",
    }  # fmt: skip
    assert {name for element in picture.iter() for name in element.attrib if name.startswith("on")} == set()
    assert "<script" not in svg


def test_a_long_id_is_shortened_and_told_in_full_beside_it() -> None:
    long = "x" * 200
    picture = drawn(step(long))

    assert texts(picture, "label") == ["x" * 25 + "…"]
    assert classes(picture, "node")[0][0].text == long
    assert int(picture.attrib["width"]) < 320


def test_wide_letters_take_two_columns() -> None:
    assert shortened("日本語の手順", 6) == "日本…"
    assert shortened("日本語", 6) == "日本語"
    assert shortened("two\n words", 26) == "two words"


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [
        (0, "0 ms"),
        (0.25, "0.2 ms"),
        (2.0, "2 ms"),
        (99.6, "100 ms"),
        (250, "250 ms"),
        (1500, "1.5 s"),
        (90_000, "1 min 30 s"),
        (3_600_000, "1 h"),
        (86_400_000 * 2 + 1000, "2 d"),
        (86_400_000 + 3_600_000, "1 d 1 h"),
    ],
)
def test_durations_are_spoken(milliseconds: int, said: str) -> None:
    assert spoken(milliseconds) == said


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        ({"op": "eq", "left": {"path": "a"}, "right": {"literal": "x"}}, 'a = "x"'),
        ({"op": "in", "value": {"path": "a"}, "set": [1, 2]}, "a in [1, 2]"),
        ({"op": "exists", "path": "a.b"}, "a.b exists"),
        ({"op": "includes", "path": "tags", "value": "x"}, 'tags includes "x"'),
        ({"op": "not", "arg": EXISTS}, "not (a exists)"),
        (
            {"op": "and", "args": [EXISTS, {"op": "or", "args": [{"op": "notExists", "path": "b"}, EXISTS]}]},
            "a exists and (b does not exist or a exists)",
        ),
        ({"op": "of another kind"}, '{"op": "of another kind"}'),
        ([1], "[1]"),
    ],
)
def test_a_predicate_is_said_as_people_write_it(predicate: Any, said: str) -> None:
    assert spoken_condition(json.dumps(predicate)) == said


def test_the_paths_are_those_that_a_run_records() -> None:
    graph = [{"type": "parallel", "steps": [step("a"), INNER]}, {"type": "foreach", "step": INNER, "opts": {}}]

    assert list(steps_of(graph)) == ["a", "inner", "inner.add", "inner.approve", "inner", "inner.add", "inner.approve"]


def test_an_empty_graph_is_a_beginning_and_an_end() -> None:
    picture = drawn()

    assert nodes(picture) == {}
    assert picture[0].text == "Graph of 0 steps"


def test_five_hundred_steps_are_drawn_within_100_ms() -> None:
    flow = [step(f"step-{number}") for number in range(250)]
    fork = {"type": "parallel", "steps": [step(f"lane-{number}") for number in range(250)]}
    statuses = {f"step-{number}": "success" for number in range(250)}

    took = []
    for _ in range(3):  # the machine may have done something else in between
        began = time.perf_counter()
        svg = draw([*flow, fork], statuses)
        took.append(time.perf_counter() - began)

    assert len(re.findall("data-path", svg)) == 500
    assert min(took) < 0.1
