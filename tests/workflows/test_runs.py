"""Reading runs: whole, in part, in lists, in numbers."""

from tests.cast import Cast
from tests.queries import counted_queries
from tests.workflows.client import Runs


def test_only_the_chosen_fields_are_given(ben: Runs) -> None:
    ben.start("t-ok", {"n": 1}, run_id="r1")

    run = ben.run("t-ok", "r1", "?fields=result, payload")

    always = {"runId", "workflowName", "createdAt", "updatedAt", "status", "resourceId"}
    assert set(run) == {*always, "result", "payload"}


def test_an_unknown_field_is_named(ben: Runs) -> None:
    ben.start("t-ok", {"n": 1}, run_id="r1")

    answer = ben.run("t-ok", "r1", "?fields=result,secret", status=400)

    known = "result, error, payload, steps, activeStepsPath, serializedStepGraph"
    assert answer["issues"] == [{"field": "fields", "message": f"Invalid field name. Available fields: {known}"}]


def test_runs_are_listed_newest_first(ben: Runs, cast: Cast) -> None:
    for number in range(3):
        ben.start("t-ok", {"n": number}, run_id=f"r{number}")
    Runs(cast.bea).start("t-ok", {"n": 9}, run_id="other")

    page = ben.get("/t-ok/runs?perPage=2")

    assert [run["runId"] for run in page["runs"]] == ["r2", "r1"]
    assert (page["total"], page["page"], page["perPage"], page["hasMore"]) == (3, 0, 2, True)
    assert page["runs"][0]["snapshot"] == {"runId": "r2", "status": "success", "input": {"n": 2}, "result": {"n": 6}}
    assert [run["runId"] for run in Runs(cast.ana).get("/t-ok/runs")["runs"]] == ["other", "r2", "r1", "r0"]


def test_runs_are_filtered_by_status_and_date(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")
    ben.start("t-suspend", {"n": 1}, run_id="s2")
    ben.resume("t-suspend", "s2", {"ok": True})

    assert [run["runId"] for run in ben.get("/t-suspend/runs?status=suspended")["runs"]] == ["s1"]
    assert ben.get("/t-suspend/runs?fromDate=2100-01-01T00:00:00Z")["runs"] == []
    ben.get("/t-suspend/runs?status=asleep", status=400)
    ben.get("/t-suspend/runs?perPage=0", status=400)


def test_runs_are_counted_by_status(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")
    ben.start("t-suspend", {"n": 1}, run_id="s2")
    ben.cancel("t-suspend", "s2")

    assert ben.get("/t-suspend/run-counts") == {"total": 2, "counts": {"canceled": 1, "suspended": 1}}


def test_a_list_takes_the_same_statements_for_one_run_and_for_ten(ben: Runs) -> None:
    def statements() -> int:
        ben.get("/t-ok/runs")  # warm
        with counted_queries() as seen:
            ben.get("/t-ok/runs")
        return len(seen)

    ben.start("t-ok", {"n": 1})
    with_one = statements()
    for _ in range(9):
        ben.start("t-ok", {"n": 1})
    assert statements() == with_one


def test_a_run_of_three_steps_takes_few_statements(ben: Runs) -> None:
    ben.start("t-branch", {"n": 12})  # warm

    with counted_queries() as seen:
        ben.start("t-branch", {"n": 12})

    steps = 4  # the branch, its two arms, the step after it
    assert len(seen) <= 3 + 2 * steps, seen


def test_workflows_are_listed_by_id(ben: Runs) -> None:
    found = ben.get("/?partial=true&query=t-o".replace("/?", "?"))

    assert set(found) == {"t-ok"}
    assert found["t-ok"]["stepCount"] == 2
    assert (found["t-ok"]["id"], found["t-ok"]["name"], found["t-ok"]["origin"]) == ("t-ok", "OK", "code")


def test_a_workflow_shows_its_steps_with_their_schemas(ben: Runs) -> None:
    found = ben.get("/t-nested")

    assert set(found["allSteps"]) == {"double", "inner", "inner.add", "inner.approve", "echo"}
    assert found["allSteps"]["inner"]["isWorkflow"] is True
    assert found["steps"]["double"]["inputSchema"]["properties"] == {"n": {"title": "N", "type": "integer"}}
    assert found["allSteps"]["inner.approve"]["resumeSchema"]["required"] == ["ok"]
    assert found["inputSchema"]["required"] == ["n"]
