"""Every element of a graph, through HTTP, with the exact answers."""

from typing import Any

import pytest

from tests.workflows.client import Runs, outputs, timeless


def test_a_workflow_carries_out_its_steps_in_order(ben: Runs) -> None:
    answer = ben.start("t-ok", {"n": 3}, run_id="r1")

    trace_id = answer.pop("traceId")
    assert len(trace_id) == 32
    assert timeless(answer) == {
        "status": "success",
        "runId": "r1",
        "steps": {
            "input": {"n": 3},
            "add": {"status": "success", "payload": {"n": 3}, "output": {"n": 4}},
            "double": {"status": "success", "payload": {"n": 4}, "output": {"n": 8}},
        },
        "input": {"n": 3},
        "stepExecutionPath": ["add", "double"],
        "result": {"n": 8},
    }


def test_moments_are_dates_with_milliseconds(ben: Runs) -> None:
    step = ben.start("t-ok", {"n": 3})["steps"]["add"]

    assert set(step) == {"status", "payload", "output", "startedAt", "endedAt"}
    moment = step["startedAt"]
    assert (moment[10], moment[-5], moment[-1]) == ("T", ".", "Z")


def test_a_stored_run_says_the_same(ben: Runs) -> None:
    ben.start("t-ok", {"n": 3}, run_id="r1")

    run = timeless(ben.run("t-ok", "r1"))

    assert run.pop("resourceId")
    assert run == {
        "runId": "r1",
        "workflowName": "t-ok",
        "status": "success",
        "result": {"n": 8},
        "payload": {"n": 3},
        "steps": {
            "add": {"status": "success", "payload": {"n": 3}, "output": {"n": 4}},
            "double": {"status": "success", "payload": {"n": 4}, "output": {"n": 8}},
        },
        "activeStepsPath": {},
        "serializedStepGraph": [
            {"type": "step", "step": {"id": "add", "description": "Add one.", "canSuspend": False}},
            {"type": "step", "step": {"id": "double", "description": "Twice as much.", "canSuspend": False}},
        ],
        "suspendedPaths": {},
        "resumeLabels": {},
        "waitingPaths": {},
    }


def test_parallel_gives_each_output_by_id(ben: Runs) -> None:
    answer = ben.start("t-parallel", {"n": 6})

    assert answer["result"] == {"add": {"n": 7}, "double": {"n": 12}}
    assert sorted(answer["stepExecutionPath"]) == ["add", "double"]


def test_a_failure_in_parallel_keeps_the_others_records(ben: Runs) -> None:
    answer = ben.start("t-parallel-fails", {"n": 1})

    assert answer["status"] == "failed"
    assert answer["error"] == {"message": "There is nothing to do.", "name": "StepFailed"}
    assert outputs(answer) == {"add": {"n": 2}}
    assert "result" not in answer


@pytest.mark.parametrize(
    ("n", "result"),
    [(12, {"add": {"n": 13}, "double": {"n": 24}}), (4, {"double": {"n": 8}}), (11, {"add": {"n": 12}})],
)
def test_every_branch_whose_condition_holds_runs(ben: Runs, n: int, result: Any) -> None:
    assert ben.start("t-branch", {"n": n})["result"] == result


def test_no_matching_branch_is_a_success_and_says_so(ben: Runs) -> None:
    answer = ben.start("t-branch", {"n": 3})

    assert (answer["status"], answer["result"]) == ("success", {})
    metadata = {"matched": [], "reason": "No condition was true."}
    assert answer["steps"]["branch_t-branch_0"]["metadata"] == metadata


def test_foreach_keeps_the_order_of_its_items(ben: Runs) -> None:
    answer = ben.start("t-each", [3, 1, 5, 4])

    assert answer["result"] == [30, 10, 50, 40]
    assert [item["output"] for item in answer["steps"]["each"]["metadata"]["items"]] == [30, 10, 50, 40]


def test_foreach_over_nothing_is_nothing(ben: Runs) -> None:
    assert ben.start("t-each", [])["result"] == []


def test_do_while_goes_on_while_the_condition_holds(ben: Runs) -> None:
    answer = ben.start("t-while", {"n": 1})

    assert answer["result"] == {"n": 5}
    assert timeless(answer["steps"]["add"]) == {
        "status": "success", "payload": {"n": 4}, "output": {"n": 5}, "metadata": {"iterationCount": 4},
        "iterations": 4,
    }  # fmt: skip
    assert answer["stepExecutionPath"] == ["add"] * 4


def test_do_while_runs_at_least_once(ben: Runs) -> None:
    assert ben.start("t-while", {"n": 50})["result"] == {"n": 51}


def test_do_until_ends_when_the_condition_holds(ben: Runs) -> None:
    answer = ben.start("t-until", {"n": 1})

    assert (answer["result"], answer["stepExecutionPath"]) == ({"n": 8}, ["double"] * 3)


def test_a_mapping_reshapes_what_comes(ben: Runs) -> None:
    answer = ben.start("t-map", {"n": 4})

    assert answer["result"] == {"n": 4, "twice": [4, 4]}
    assert answer["stepExecutionPath"] == ["mapping_t-map_0", "echo"]


def test_a_mapping_may_be_a_function(ben: Runs) -> None:
    assert ben.start("t-map-python", {"n": 4})["result"] == [4, 4]


def test_a_sleep_until_a_past_date_is_none(ben: Runs) -> None:
    answer = ben.start("t-sleep-until", {"n": 4})

    assert (answer["status"], answer["result"]) == ("success", {"n": 8})


def test_a_failed_run_is_an_answer_without_the_text_of_the_exception(ben: Runs) -> None:
    answer = ben.start("t-boom", {"n": 1})

    error = {"message": "Step boom failed with ValueError; the server's log has the details.", "name": "ValueError"}
    assert (answer["status"], answer["error"]) == ("failed", error)
    assert timeless(answer["steps"]["boom"]) == {"status": "failed", "payload": {"n": 2}, "error": error}


def test_retries_are_counted_in_one_record(ben: Runs) -> None:
    answer = ben.start("t-retry", {"n": 1})

    assert answer["result"] == {"retryCount": 2}
    assert answer["steps"]["third_time"]["attempts"] == 3
    assert answer["stepExecutionPath"] == ["third_time"]


def test_bail_ends_the_run_with_success(ben: Runs) -> None:
    answer = ben.start("t-bail")

    assert (answer["status"], answer["result"]) == ("success", {"early": True})
    assert answer["stepExecutionPath"] == ["bailer"]
    assert answer["steps"]["bailer"]["status"] == "success"


def test_the_state_is_handed_on_and_kept(ben: Runs) -> None:
    run_id = ben.start("t-state", {"n": 1}, initialState={"count": 5})["runId"]

    run = ben.run("t-state", run_id)
    assert (run["state"], run["initialState"]) == ({"count": 7}, {"count": 5})


def test_a_nested_workflow_is_suspended_where_its_step_is(ben: Runs) -> None:
    answer = ben.start("t-nested", {"n": 2}, run_id="n1")

    assert answer["suspended"] == [["inner", "approve"]]
    assert answer["suspendPayload"] == {"inner": {"reason": "need approval"}}
    assert answer["steps"]["inner"]["status"] == "suspended"
    assert answer["stepExecutionPath"] == ["double", "inner", "inner.add", "inner.approve"]
    run = ben.run("t-nested", "n1")
    assert set(run["steps"]) == {"double", "inner", "inner.add", "inner.approve"}
    assert run["suspendedPaths"] == {"inner": [1]}
    assert run["resumeLabels"] == {"approval": {"stepId": "inner"}}
    assert set(ben.run("t-nested", "n1", "?withNestedWorkflows=false")["steps"]) == {"double", "inner"}


def test_one_step_at_a_time(ben: Runs) -> None:
    answer = ben.start("t-ok", {"n": 1}, run_id="p1", perStep=True)

    assert (answer["status"], outputs(answer)) == ("paused", {"add": {"n": 2}})
    answer = ben.resume("t-ok", "p1")
    assert (answer["status"], answer["result"]) == ("success", {"n": 4})
