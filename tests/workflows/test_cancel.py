"""Cancelling: at once, once, and only the own."""

from tests.cast import Cast
from tests.workflows.client import Runs


def test_a_suspended_run_is_cancelled(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    assert ben.cancel("t-suspend", "s1") == {"message": "Workflow run cancelled"}

    run = ben.run("t-suspend", "s1")
    assert (run["status"], run["steps"]["approve"]["status"]) == ("canceled", "canceled")
    assert run["suspendedPaths"] == {}
    assert ben.resume("t-suspend", "s1", {"ok": True}, status=409) == {"error": "This workflow run was not suspended"}


def test_a_finished_run_is_left_as_it_is(ben: Runs) -> None:
    ben.start("t-ok", {"n": 1}, run_id="f1")
    before = ben.run("t-ok", "f1")

    answer = ben.cancel("t-ok", "f1", status=409)

    assert answer == {"error": "This workflow run is over (success) and cannot be cancelled."}
    assert ben.run("t-ok", "f1") == before


def test_unknown_and_foreign_runs_look_the_same(ben: Runs, cast: Cast) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    unknown = ben.cancel("t-suspend", "never", status=404)

    assert unknown == {"error": "Workflow run not found"}
    assert Runs(cast.bea).cancel("t-suspend", "s1", status=404) == unknown
    assert Runs(cast.zoe).cancel("t-suspend", "s1", status=404) == unknown
    assert ben.run("t-suspend", "s1")["status"] == "suspended"


def test_who_may_write_workflows_cancels_for_others(ben: Runs, cast: Cast) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    Runs(cast.ana).cancel("t-suspend", "s1")

    assert ben.run("t-suspend", "s1")["status"] == "canceled"
