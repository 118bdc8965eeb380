"""Every element of a graph and every status, through MCP as over HTTP: the same runs in the shapes of the tools."""

from typing import Any

import pytest

from gateway.models import McpSettings
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.conftest import door
from tests.workflows.client import Runs, timeless

__all__ = ["door"]

N = {"n": 3}
# workflow → input, and where it ends
ELEMENTS: dict[str, tuple[Any, str]] = {
    "t-ok": (N, "success"),
    "t-parallel": (N, "success"),
    "t-parallel-waits": (N, "suspended"),
    "t-parallel-fails": (N, "failed"),
    "t-branch": ({"n": 12}, "success"),
    "t-each": ([1, 2, 3], "suspended"),
    "t-while": (N, "success"),
    "t-until": (N, "success"),
    "t-map": (N, "success"),
    "t-map-python": (N, "success"),
    "t-sleep": (N, "success"),
    "t-sleep-until": (N, "success"),
    "t-suspend": (N, "suspended"),
    "t-nested": (N, "suspended"),
    "t-all": (N, "suspended"),
    "t-boom": (N, "failed"),
    "t-refuse": (N, "failed"),
    "t-retry": (N, "success"),
    "t-retry-later": (N, "success"),
    "t-timeout": (N, "failed"),
    "t-bail": (N, "success"),
    "t-state": (N, "success"),
    "t-async": (N, "success"),
}
NAMES = {"result": "result", "error": "error", "suspendPayload": "suspendPayload", "suspended": "suspendedSteps"}


def settled(value: Any) -> Any:
    """Without what is another in each run."""
    value = timeless(value)
    return {name: inner for name, inner in value.items() if name not in ("runId", "traceId")}


@pytest.mark.parametrize(("slug", "given", "status"), [(slug, *facts) for slug, facts in ELEMENTS.items()])
def test_a_run_is_the_same_through_both_doors(
    cast: Cast, ben: Runs, door: Door, worker: None, slug: str, given: Any, status: str
) -> None:
    over_http = ben.start(slug, given)
    over_mcp = door.call(cast.ben.key, "workflow_start", {"workflowId": slug, "inputData": given}).value

    look = {"workflowId": slug, "runId": over_mcp["runId"]}
    looked = door.call(cast.ben.key, "workflow_run_get", look).value

    assert over_mcp["status"] == over_http["status"] == status
    shown = {"status": status, **{name: over_http[old] for old, name in NAMES.items() if old in over_http}}
    assert settled(over_mcp) == shown
    assert settled(looked) == settled(ben.run(slug, over_http["runId"]))


def test_a_run_that_sleeps_is_waiting(cast: Cast, door: Door) -> None:
    McpSettings.objects.create(tenant=cast.tenant, wait_seconds=0.1)
    wanted = {"workflowId": "t-sleep-long", "runId": "mine"}

    answer = door.call(cast.ben.key, "workflow_start", {**wanted, "inputData": N}).value

    assert answer == {"status": "running", "runId": "mine"}
    assert door.call(cast.ben.key, "workflow_run_get", wanted).value["status"] == "waiting"
    assert door.call(cast.ben.key, "workflow_run_cancel", wanted).result["isError"] is False
    assert door.call(cast.ben.key, "workflow_run_get", wanted).value["status"] == "canceled"


def test_a_paused_run_is_taken_on_by_resuming_it(cast: Cast, ben: Runs, door: Door) -> None:
    ben.start("t-ok", N, run_id="mine", perStep=True)
    wanted = {"workflowId": "t-ok", "runId": "mine"}
    before = door.call(cast.ben.key, "workflow_run_get", wanted).value["status"]

    answer = door.call(cast.ben.key, "workflow_run_resume", wanted).value

    assert before == "paused"
    assert answer == {"status": "success", "runId": "mine", "result": {"n": 8}}


@pytest.mark.parametrize(
    ("slug", "given", "step", "data", "result"),
    [
        ("t-nested", N, ["inner", "approve"], {"ok": True}, {"n": 7, "ok": True}),
        ("t-each", [1, 2, 3], ["each", 1], {"any": "thing"}, [10, 20, 30]),
        ("t-each", [1, 2, 3], "each", True, [10, 20, 30]),
        ("t-all", N, "approve", {"ok": False}, {"n": 11, "ok": False}),
    ],
)
def test_a_step_is_named_by_its_path(
    cast: Cast, door: Door, worker: None, slug: str, given: Any, step: Any, data: Any, result: Any
) -> None:
    run_id = door.call(cast.ben.key, "workflow_start", {"workflowId": slug, "inputData": given}).value["runId"]
    wanted = {"workflowId": slug, "runId": run_id, "step": step, "resumeData": data}

    answer = door.call(cast.ben.key, "resume_workflow_run", wanted).value

    assert answer == {"status": "success", "runId": run_id, "result": result}


def test_several_steps_wait_and_the_choices_are_named(cast: Cast, door: Door) -> None:
    wanted = {"workflowId": "t-parallel-waits", "runId": "mine"}
    door.call(cast.ben.key, "workflow_start", {**wanted, "inputData": N})

    unnamed = door.call(cast.ben.key, "workflow_run_resume", {**wanted, "resumeData": {"ok": True}})
    one = door.call(cast.ben.key, "workflow_run_resume", {**wanted, "step": "ask", "resumeData": 0}).value
    both = door.call(cast.ben.key, "workflow_run_resume", {**wanted, "resumeData": {"ok": True}}).value

    assert unnamed.sentence == (
        "Multiple suspended steps found: [approve], [ask]. "
        'Please specify which step to resume using the "step" parameter.'
    )
    assert (one["status"], one["suspendedSteps"]) == ("suspended", [["approve"]])
    assert both["result"] == {"approve": {"n": 3, "ok": True}, "ask": {"asked": 0}, "add": {"n": 4}}
