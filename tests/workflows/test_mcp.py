"""The workflow tools through the real MCP door: every one of them, by name and by alias."""

import time
from typing import Any

import pytest

from gateway.models import McpSettings
from tests.cast import Cast
from tests.gateway.clients import MODES, Answer, Door
from tests.gateway.conftest import door
from tests.gateway.protocol.wire import legacy_headers, message, modern, modern_headers, send
from tests.workflows.featuring import asking, echoing
from tests.workflows.stored import store
from workflows.models import WorkflowRun

__all__ = ["door"]

APPROVED = {"approved": True, "comment": "Fine."}
RESULT = {"input": {"n": 1}, "approved": True, "comment": "Fine."}


@pytest.fixture
def asks(cast: Cast) -> str:
    """The id of a workflow that waits for a person."""
    return asking(cast.tenant, "asks").slug


def start(door: Door, key: str, workflow_id: str, given: Any = None, **arguments: Any) -> Answer:
    """One start."""
    return door.call(key, "workflow_start", {"workflowId": workflow_id, "inputData": given, **arguments})


def run_of(door: Door, key: str, workflow_id: str, run_id: str, **arguments: Any) -> Any:
    """One look."""
    return door.call(key, "workflow_run_get", {"workflowId": workflow_id, "runId": run_id, **arguments}).value


def suspended(run_id: str) -> dict[str, Any]:
    """The answer of a run that waits for approval."""
    return {
        "status": "suspended",
        "runId": run_id,
        "suspendPayload": {"approval": {"question": "Approve?", "about": {"n": 1}}},
        "suspendedSteps": [["approval"]],
    }


@pytest.mark.parametrize("name", ["workflow_list", "list_workflows"])
def test_a_list_has_what_the_caller_sees(cast: Cast, door: Door, name: str) -> None:
    echoing(cast.tenant, "parrot-1", description="Repeats.")
    echoing(cast.tenant, "parrot-2", department=cast.support, name="Second")
    wanted = {"query": "PARROT"}

    assert door.call(cast.ben.key, name, wanted).value == {
        "workflows": [{"id": "parrot-1", "name": "parrot-1", "description": "Repeats."}]
    }
    assert [line["id"] for line in door.call(cast.bea.key, name, wanted).value["workflows"]] == ["parrot-1", "parrot-2"]
    assert door.call(cast.zoe.key, name, wanted).value == {"workflows": []}


@pytest.mark.parametrize("name", ["workflow_get", "get_workflow"])
def test_a_workflow_is_read_whole(cast: Cast, door: Door, asks: str, name: str) -> None:
    found = door.call(cast.ben.key, name, {"workflowId": asks}).value

    assert (found["id"], found["origin"], list(found["steps"])) == ("asks", "dynamic", ["approval"])
    assert found["inputSchema"]["required"] == ["n"]
    assert door.call(cast.zoe.key, name, {"workflowId": asks}).sentence == "Workflow not found"


@pytest.mark.parametrize("alias", [False, True])
def test_a_run_suspends_and_is_resumed(cast: Cast, door: Door, asks: str, alias: bool) -> None:
    starting = "start_workflow" if alias else "workflow_start"
    resuming = "resume_workflow_run" if alias else "workflow_run_resume"

    first = door.call(cast.ben.key, starting, {"workflowId": asks, "inputData": {"n": 1}})
    run_id = first.value["runId"]
    second = door.call(
        cast.ben.key, resuming, {"workflowId": asks, "runId": run_id, "step": "approval", "resumeData": APPROVED}
    )

    assert first.value == first.result["structuredContent"] == suspended(run_id)
    assert second.value == {"status": "success", "runId": run_id, "result": RESULT}


def test_a_label_names_the_step_too(cast: Cast, door: Door, asks: str) -> None:
    run_id = start(door, cast.ben.key, asks, {"n": 1}).value["runId"]

    answer = door.call(
        cast.ben.key,
        "workflow_run_resume",
        {"workflowId": asks, "runId": run_id, "label": "approval", "resumeData": '{"approved": true}'},
    )

    assert answer.sentence.startswith("Invalid resume data")  # a text is a text: any value may be meant


def test_what_cannot_be_resumed_is_one_sentence(cast: Cast, door: Door, asks: str) -> None:
    run_id = start(door, cast.ben.key, asks, {"n": 1}).value["runId"]

    def resume(**arguments: Any) -> Answer:
        return door.call(cast.ben.key, "workflow_run_resume", {"workflowId": asks, "runId": run_id, **arguments})

    assert "approval" in resume(step="nowhere", resumeData=APPROVED).sentence
    assert resume(resumeData={"approved": "perhaps"}).sentence.startswith("Invalid resume data")
    assert resume(resumeData=APPROVED).value["status"] == "success"
    assert resume(resumeData=APPROVED).sentence == "This workflow run was not suspended"


def test_a_failed_run_is_an_answer_with_its_error(cast: Cast, door: Door) -> None:
    answer = start(door, cast.ben.key, "t-refuse")

    assert answer.result["isError"] is False
    assert answer.value == {
        "status": "failed",
        "runId": answer.value["runId"],
        "error": {"message": "There is nothing to do.", "name": "StepFailed"},
    }


def test_input_that_does_not_fit_starts_nothing(cast: Cast, door: Door, asks: str) -> None:
    assert start(door, cast.ben.key, asks, {"n": "three"}).sentence.startswith("Invalid input data: \n- n: ")
    assert not WorkflowRun.objects.filter(tenant=cast.tenant).exists()


def test_the_same_start_again_is_the_same_run(cast: Cast, door: Door, asks: str) -> None:
    first = start(door, cast.ben.key, asks, {"n": 1}, runId="mine").value

    assert start(door, cast.ben.key, asks, {"n": 1}, runId="mine").value == first == suspended("mine")
    assert "another" in start(door, cast.ben.key, asks, {"n": 2}, runId="mine").sentence
    assert WorkflowRun.objects.filter(tenant=cast.tenant).count() == 1


def test_an_idempotency_key_starts_one_run(cast: Cast, door: Door, asks: str) -> None:
    calls = [door.call(cast.ben.key, "workflow_asks", {"n": 1}, idempotencyKey="once").value["runId"] for _ in range(2)]

    assert calls[0] == calls[1]
    assert WorkflowRun.objects.filter(tenant=cast.tenant).count() == 1


@pytest.mark.parametrize("name", ["workflow_run_get", "get_workflow_run"])
def test_a_run_is_read_in_parts(cast: Cast, door: Door, asks: str, name: str) -> None:
    start(door, cast.ben.key, asks, {"n": 1}, runId="mine")

    def read(fields: str) -> Answer:
        return door.call(cast.ben.key, name, {"workflowId": asks, "runId": "mine", "fields": fields})

    always = {"runId", "workflowName", "createdAt", "updatedAt", "status", "resourceId"}
    assert set(read("payload, steps").value) == always | {"payload", "steps"}
    assert read("payload").value["payload"] == {"n": 1}
    assert read("steps").value["steps"]["approval"]["status"] == "suspended"
    assert "Available fields: result, error" in read("nonsense").sentence


@pytest.mark.parametrize("name", ["workflow_run_cancel", "cancel_workflow_run"])
def test_a_run_is_cancelled_once(cast: Cast, door: Door, asks: str, name: str) -> None:
    start(door, cast.ben.key, asks, {"n": 1}, runId="mine")

    def cancel(key: str, run_id: str) -> Answer:
        return door.call(key, name, {"workflowId": asks, "runId": run_id})

    assert cancel(cast.bea.key, "mine").sentence == cancel(cast.ben.key, "none").sentence == "Workflow run not found"
    assert cancel(cast.zoe.key, "mine").sentence == "Workflow not found"
    assert cancel(cast.ben.key, "mine").value == {"message": "Workflow run cancelled"}
    assert cancel(cast.ben.key, "mine").sentence == (
        "This workflow run is over (canceled) and cannot be cancelled."
    )  # fmt: skip
    assert run_of(door, cast.ben.key, asks, "mine")["status"] == "canceled"


def test_a_patient_call_answers_running_and_a_look_finishes_the_story(cast: Cast, door: Door, worker: None) -> None:
    McpSettings.objects.create(tenant=cast.tenant, wait_seconds=0.1)

    answer = start(door, cast.ben.key, "t-slow", {"n": 1}).value

    assert answer == {"status": "running", "runId": answer["runId"]}
    until = time.monotonic() + 20
    while (run := run_of(door, cast.ben.key, "t-slow", answer["runId"]))["status"] == "running":
        assert time.monotonic() < until
    assert (run["status"], run["result"]) == ("success", {"n": 1})


def test_a_call_that_may_wait_waits(cast: Cast, door: Door, worker: None) -> None:
    assert start(door, cast.ben.key, "t-slow", {"n": 1}).value["result"] == {"n": 1}


@pytest.mark.parametrize("token", [0, "", "ü"])
@pytest.mark.parametrize("generation", ["older", "stateless"])
def test_progress_is_told_while_a_call_waits(
    cast: Cast, door: Door, monkeypatch: pytest.MonkeyPatch, token: int | str, generation: str
) -> None:
    monkeypatch.setattr("gateway.calls.FIRST_PROGRESS", 0.1)
    monkeypatch.setattr("gateway.calls.NEXT_PROGRESS", 0.1)
    store(cast.tenant, "sleeps", {"steps": [{"type": "sleep", "duration": 3_600_000}]})
    McpSettings.objects.create(tenant=cast.tenant, wait_seconds=0.5)
    call: dict[str, Any] = {"name": "workflow_start", "arguments": {"workflowId": "sleeps", "runId": "mine"}}

    if generation == "older":
        body = message("tools/call", {**call, "_meta": {"progressToken": token}})
        answer = send(door, body, legacy_headers(cast.ben.key))
    else:
        headers = modern_headers(cast.ben.key, "tools/call", {"Mcp-Name": "workflow_start"})
        answer = send(door, modern("tools/call", call, progressToken=token), headers)

    *told, last = answer.body
    assert {(said["method"], said["params"]["progressToken"]) for said in told} == {
        ("notifications/progress", token)
    }  # fmt: skip
    assert len(told) >= 2
    assert last["result"]["structuredContent"] == {"status": "running", "runId": "mine"}


@pytest.mark.parametrize("mode", MODES)
async def test_the_official_client_starts_and_resumes(ben_key: str, asks: str, door: Door, mode: str) -> None:
    async with door.client(ben_key, mode) as client:
        first = await client.call_tool("workflow_asks", {"n": 1})
        assert first.structured_content is not None
        run_id = first.structured_content["runId"]
        second = await client.call_tool(
            "workflow_run_resume", {"workflowId": asks, "runId": run_id, "resumeData": APPROVED}
        )

    assert first.structured_content == suspended(run_id)
    assert second.structured_content == {"status": "success", "runId": run_id, "result": RESULT}


@pytest.fixture
def ben_key(cast: Cast) -> str:
    """A member's key; made here, because asynchronous tests may not query."""
    return cast.ben.key
