"""Starting: what is refused, and what the same run id means."""

from typing import Any

import pytest
from django.test import override_settings

from tests.cast import Cast
from tests.workflows.client import Runs
from workflows.models import WorkflowRun


def runs_of(cast: Cast) -> int:
    """How many runs the tenant has."""
    return WorkflowRun.objects.filter(tenant=cast.tenant).count()


def test_input_that_does_not_fit_leaves_no_row(ben: Runs, cast: Cast) -> None:
    answer = ben.start("t-ok", {"n": "three"}, status=400)

    assert answer == {"error": 'Invalid input data: \n- n: "three" is not of type "integer"'}
    assert runs_of(cast) == 0


def test_an_unknown_workflow_is_missing(ben: Runs) -> None:
    assert ben.start("nowhere", status=404) == {"error": "Workflow not found"}


def test_the_same_start_again_is_the_same_run(ben: Runs, cast: Cast) -> None:
    first = ben.start("t-ok", {"n": 3}, run_id="mine")
    again = ben.start("t-ok", {"n": 3}, run_id="mine")

    assert again == first
    assert runs_of(cast) == 1


def test_another_input_under_the_same_id_is_a_conflict(ben: Runs, cast: Cast) -> None:
    ben.start("t-ok", {"n": 3}, run_id="mine")

    answer = ben.start("t-ok", {"n": 4}, run_id="mine", status=409)

    assert "runId" in answer["error"]
    assert ben.run("t-ok", "mine")["result"] == {"n": 8}
    assert runs_of(cast) == 1


def test_somebody_elses_run_id_is_free(ben: Runs, cast: Cast) -> None:
    ben.start("t-ok", {"n": 3}, run_id="mine")

    assert Runs(cast.bea).start("t-ok", {"n": 4}, run_id="mine")["result"] == {"n": 10}
    assert ben.run("t-ok", "mine")["result"] == {"n": 8}


def test_the_same_id_under_another_workflow_is_free(ben: Runs) -> None:
    ben.start("t-ok", {"n": 3}, run_id="mine")

    assert ben.start("t-parallel", {"n": 1}, run_id="mine")["status"] == "success"
    assert ben.run("t-while", "mine", status=404) == {"error": "Workflow run not found"}


def test_nobody_starts_for_somebody_else(ben: Runs, cast: Cast) -> None:
    ben.start("t-ok", {"n": 3}, resourceId=str(cast.bea.user.id), status=404)

    assert runs_of(cast) == 0


def test_too_much_input_is_refused(ben: Runs, cast: Cast) -> None:
    with override_settings(LIMIT_RUN_VALUE_BYTES=2000):
        answer = ben.start("t-async", "x" * 2001, status=413)

    assert answer == {"error": "inputData of a run has 2003 bytes; 2000 are allowed."}
    assert runs_of(cast) == 0


def test_unknown_keys_are_refused(ben: Runs) -> None:
    answer = ben.start("t-ok", {"n": 1}, inputdata=1, status=400)

    assert answer["issues"][0]["field"] == "inputdata"


@pytest.mark.parametrize("person", ["vic"])
def test_who_may_not_execute_starts_nothing(cast: Cast, person: str) -> None:
    Runs(getattr(cast, person)).start("t-ok", {"n": 1}, status=403)

    assert runs_of(cast) == 0


def test_an_idempotency_key_starts_one_run(ben: Runs, cast: Cast) -> None:
    def start() -> Any:
        header = {"Idempotency-Key": "k1"}
        return ben.request("POST", "/t-ok/start-async", {"inputData": {"n": 1}}, **header)

    assert start() == start()
    assert runs_of(cast) == 1
