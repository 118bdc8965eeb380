"""Resuming: every order, every mistake, and never twice."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from typing import Any

import pytest
from django.db import connections

from tests.cast import Cast
from tests.workflows.client import Runs, outputs, timeless


def test_a_suspended_run_says_what_it_waits_for(ben: Runs) -> None:
    answer = ben.start("t-suspend", {"n": 1}, run_id="s1")

    assert answer["status"] == "suspended"
    assert answer["suspended"] == [["approve"]]
    assert answer["suspendPayload"] == {"approve": {"reason": "need approval"}}
    step = timeless(answer["steps"]["approve"])
    assert step == {"status": "suspended", "payload": {"n": 2}, "suspendPayload": {"reason": "need approval"}}
    run = ben.run("t-suspend", "s1")
    assert (run["suspendedPaths"], run["activeStepsPath"]) == ({"approve": [1]}, {})
    assert run["resumeLabels"] == {"approval": {"stepId": "approve"}}


def test_a_resumed_run_goes_on(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    answer = ben.resume("t-suspend", "s1", {"ok": True})

    assert (answer["status"], answer["result"]) == ("success", {"n": 2, "ok": True})
    assert timeless(answer["steps"]["approve"]) == {
        "status": "success",
        "payload": {"n": 2},
        "suspendPayload": {"reason": "need approval"},
        "resumePayload": {"ok": True},
        "output": {"n": 2, "ok": True},
    }


@pytest.mark.parametrize("how", [{"step": "approve"}, {"step": ["approve"]}, {"label": "approval"}, {}])
def test_the_step_may_be_named_or_labelled_or_left_out(ben: Runs, how: dict[str, Any]) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    assert ben.resume("t-suspend", "s1", {"ok": False}, **how)["result"] == {"n": 2, "ok": False}


def test_data_that_does_not_fit_leaves_the_run_suspended(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    answer = ben.resume("t-suspend", "s1", {"ok": "perhaps"}, status=400)

    assert answer["error"].startswith("Invalid resume data: \n- ok: ")
    assert ben.run("t-suspend", "s1")["status"] == "suspended"


def test_an_unknown_step_is_refused_with_the_choices(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    answer = ben.resume("t-suspend", "s1", {"ok": True}, step="nowhere", status=400)

    expected = 'This workflow step "nowhere" was not suspended. Available suspended steps: [approve]'
    assert answer == {"error": expected}


def test_a_step_that_does_not_wait_is_a_conflict(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    answer = ben.resume("t-suspend", "s1", {"ok": True}, step="add", status=409)

    assert answer == {"error": 'This workflow step "add" was not suspended. Available suspended steps: [approve]'}


def test_a_finished_run_is_a_conflict(ben: Runs) -> None:
    ben.start("t-ok", {"n": 1}, run_id="f1")

    assert ben.resume("t-ok", "f1", status=409) == {"error": "This workflow run was not suspended"}


def test_the_second_resume_is_a_conflict(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")
    ben.resume("t-suspend", "s1", {"ok": True})

    ben.resume("t-suspend", "s1", {"ok": True}, status=409)

    assert ben.run("t-suspend", "s1")["result"] == {"n": 2, "ok": True}


def test_an_ambiguous_resume_names_the_choices(ben: Runs) -> None:
    ben.start("t-parallel-waits", {"n": 6}, run_id="w1")

    answer = ben.resume("t-parallel-waits", "w1", {"ok": True}, status=400)

    assert answer == {
        "error": "Multiple suspended steps found: [approve], [ask]. "
        'Please specify which step to resume using the "step" parameter.'
    }


@pytest.mark.parametrize("order", list(permutations(["approve", "ask"])))
def test_parallel_steps_are_resumed_in_any_order(ben: Runs, order: tuple[str, ...]) -> None:
    data = {"approve": {"ok": True}, "ask": "yes"}
    first = ben.start("t-parallel-waits", {"n": 6}, run_id="w1")
    assert first["suspended"] == [["approve"], ["ask"]]

    between = ben.resume("t-parallel-waits", "w1", data[order[0]], step=order[0])
    answer = ben.resume("t-parallel-waits", "w1", data[order[1]], step=order[1])

    assert between["suspended"] == [[order[1]]]
    assert answer["result"] == {"approve": {"n": 6, "ok": True}, "ask": {"asked": "yes"}, "add": {"n": 7}}


def test_a_suspended_item_does_not_stop_the_others(ben: Runs) -> None:
    answer = ben.start("t-each", [2, 1, 2, 3, 2], run_id="e1")

    assert answer["suspended"] == [["each"]]
    assert answer["suspendPayload"] == {"each": [{"item": 2}, None, {"item": 2}, None, {"item": 2}]}
    items = answer["steps"]["each"]["metadata"]["items"]
    assert [item["status"] for item in items] == ["suspended", "success", "suspended", "success", "suspended"]


@pytest.mark.parametrize("order", list(permutations([0, 2, 4])))
def test_items_are_resumed_one_by_one_in_any_order(ben: Runs, order: tuple[int, ...]) -> None:
    ben.start("t-each", [2, 1, 2, 3, 2], run_id="e1")

    first = ben.resume("t-each", "e1", "x", forEachIndex=order[0])
    ben.resume("t-each", "e1", "x", step=["each", order[1]])
    last = ben.resume("t-each", "e1", "x", step="each")

    assert first["status"] == "suspended"
    assert (last["status"], last["result"]) == ("success", [20, 10, 20, 30, 20])


def test_without_an_index_every_suspended_item_is_resumed(ben: Runs) -> None:
    ben.start("t-each", [2, 1, 2, 2], run_id="e1")

    answer = ben.resume("t-each", "e1", "x")

    assert answer["result"] == [20, 10, 20, 20]
    payloads = [item.get("resumePayload") for item in answer["steps"]["each"]["metadata"]["items"]]
    assert payloads == ["x", None, "x", "x"]


def test_an_item_that_does_not_wait_is_refused(ben: Runs) -> None:
    ben.start("t-each", [2, 1], run_id="e1")

    answer = ben.resume("t-each", "e1", "x", forEachIndex=1, status=400)

    assert answer == {"error": "Item 1 is not suspended. Available suspended steps: [each]"}


@pytest.mark.parametrize("step", [["inner", "approve"], "inner.approve", ["inner"], None])
def test_a_nested_step_is_resumed(ben: Runs, step: Any) -> None:
    ben.start("t-nested", {"n": 2}, run_id="n1")

    answer = ben.resume("t-nested", "n1", {"ok": True}, step=step)

    assert answer["result"] == {"n": 5, "ok": True}
    assert outputs(answer)["inner"] == {"n": 5, "ok": True}


def test_of_many_at_once_one_resumes(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    def resume(_: int) -> Any:
        try:
            return ben.request("POST", "/t-suspend/resume-async?runId=s1", {"resumeData": {"ok": True}})["status"]
        except AssertionError as refused:
            return refused.args[0]["error"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(resume, range(8)))

    assert answers.count("success") == 1
    assert answers.count("This workflow run was not suspended") == 7


def test_a_missing_run_id_is_named(ben: Runs) -> None:
    answer = ben.request("POST", "/t-suspend/resume-async", {"resumeData": 1}, status=400)

    assert answer["issues"] == [{"field": "runId", "message": "This field is required."}]


def test_others_runs_look_like_missing_ones(ben: Runs, cast: Cast) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    for person in (cast.bea, cast.zoe):
        answer = Runs(person).resume("t-suspend", "s1", {"ok": True}, status=404)
        assert answer == Runs(person).resume("t-suspend", "never", {"ok": True}, status=404)
    assert ben.run("t-suspend", "s1")["status"] == "suspended"


def test_who_may_write_workflows_resumes_for_others(ben: Runs, cast: Cast) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    assert Runs(cast.ana).resume("t-suspend", "s1", {"ok": True})["status"] == "success"


def test_the_request_context_is_handed_to_the_steps_and_added_to(ben: Runs) -> None:
    assert ben.start("t-told", 1, requestContext={"a": 1})["result"] == {"a": 1}
    ben.start("t-told", "ask", run_id="c1", requestContext={"a": 1, "b": 1})

    answer = ben.resume("t-told", "c1", "go", requestContext={"b": 2})

    assert answer["result"] == {"a": 1, "b": 2}
