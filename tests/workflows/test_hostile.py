"""Steps, values and people that mean no good, or do not know better."""

import time
from typing import Any

import pytest
from django.test import override_settings

from events.audience import Audience
from ground.invalidation import announce
from identity.models import Tenant
from tests.cast import Cast
from tests.workflows.client import Runs
from tests.workflows.stored import calls, store
from workflows.models import Workflow, WorkflowRun
from workflows.taking_up import take_up


def latest(cast: Cast) -> WorkflowRun:
    """The tenant's newest run."""
    found: WorkflowRun = WorkflowRun.objects.filter(tenant=cast.tenant).latest("created_at")
    return found


@pytest.mark.parametrize("name", ["t-exits-slowly", "t-exits-parallel"])
def test_a_step_that_exits_fails_and_its_worker_lives(ben: Runs, worker: None, name: str) -> None:
    for _ in range(3):
        answer = ben.start(name, 1)
        message = "Step exits failed with SystemExit; the server's log has the details."
        assert answer["error"] == {"message": message, "name": "SystemExit"}

    assert ben.start("t-slow", 1)["result"] == 1


def test_a_step_that_exits_in_a_request_fails(ben: Runs) -> None:
    answer = ben.start("t-exits", 1)

    assert (answer["status"], answer["error"]["name"]) == ("failed", "SystemExit")


@pytest.mark.parametrize("number", [1e22, 1e300, -1e19, 2**63, 2**64 - 1, 2**64])
def test_large_numbers_poison_nothing(cast: Cast, ben: Runs, number: float) -> None:
    store(cast.tenant, "same", {"steps": [calls("echo")]})

    first = ben.start("same", [number], run_id="n1")

    assert first["result"] == [number]
    assert ben.run("same", "n1")["result"] == [number]
    assert ben.get("/same/runs")["total"] == 1
    assert ben.start("same", [number], run_id="n1")["result"] == [number]


def test_a_role_that_was_taken_away_ends_the_run(cast: Cast, ben: Runs) -> None:
    with override_settings(WAIT_SECONDS=0.1):
        ben.start("t-sleep-long", {"n": 1})
    run = latest(cast)
    cast.ben.membership.role = cast.roles["viewer"]
    cast.ben.membership.save()
    for topic in ("rights", "credentials", "surface"):
        announce(topic, cast.tenant.id)
    WorkflowRun.objects.filter(pk=run.pk).update(due_at=run.created_at)

    take_up(run.id)

    sentence = "The user who started this run may no longer carry out its workflow."
    assert latest(cast).error == {"message": sentence, "name": "Forbidden"}


def test_the_steps_of_a_nested_workflow_are_shown_to_who_may_read_it(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "secret", {"steps": [calls("echo", id="payroll")]}, department=cast.support)
    store(cast.tenant, "outer", {"steps": [{"type": "workflow", "id": "x", "workflowId": "secret"}]})

    shown, whole = ben.get("/outer"), Runs(cast.bea).get("/outer")

    assert "payroll" not in str(shown)
    assert set(whole["allSteps"]) == {"x", "x.payroll"}
    assert shown["stepGraph"] == [{"type": "workflow", "id": "x", "workflowId": "secret", "serializedStepFlow": []}]


def test_a_disabled_workflow_runs_nowhere(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "off", {"steps": [calls("echo")]}, enabled=False)
    store(cast.tenant, "outer", {"steps": [{"type": "workflow", "id": "x", "workflowId": "off"}]})

    assert ben.start("off", 1, status=409)["error"].startswith("Workflow off is disabled")
    sentence = "Workflow outer contains the workflow off, which is disabled."
    assert ben.start("outer", 1, status=400) == {"error": sentence}


def test_a_narrowed_key_hears_of_its_departments_alone(cast: Cast) -> None:
    narrow = cast.ana.by_key(cast.ana.issue(["*"], departments=[cast.sales]))
    of = {"permission": "workflows:write", "tenant_id": cast.tenant.id}

    assert Audience(**of, department_id=cast.sales.id).admits(narrow)
    assert Audience(**of).admits(narrow)
    assert not Audience(**of, department_id=cast.support.id).admits(narrow)
    assert not Audience(**of, user_id=cast.ana.user.id, department_id=cast.support.id).admits(narrow)
    assert Audience(**of, department_id=cast.support.id).admits(cast.ana.principal)


def test_a_sleep_ends_beside_a_step_that_takes_long(cast: Cast, ben: Runs, worker: None) -> None:
    answer = ben.start("t-sleep-beside", 1, run_id="b1")

    steps = ben.run("t-sleep-beside", "b1")["steps"]
    assert answer["status"] == "success"
    assert steps["short.echo"]["endedAt"] < steps["slowly"]["endedAt"]


def test_ten_thousand_items_are_carried_out(cast: Cast, ben: Runs, worker: None) -> None:
    each = {"type": "foreach", "step": calls("pure_echo")}
    store(cast.tenant, "many", {"steps": [each]})

    answer = ben.start("many", list(range(10_000)), run_id="m1")
    while answer["status"] == "running":
        answer = ben.start("many", list(range(10_000)), run_id="m1")

    assert (answer["status"], answer.get("error")) == ("success", None)
    assert answer["result"] == list(range(10_000))


def test_resume_data_is_converted_as_the_step_declares(ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    assert ben.resume("t-suspend", "s1", {"ok": "false"})["result"] == {"n": 2, "ok": False}


def test_who_changes_its_input_changes_nothing_else(ben: Runs) -> None:
    answer = ben.start("t-mutates", {"n": 1})

    assert answer["result"] == {"mutate": 1, "echo2": {"n": 1}}
    assert answer["steps"]["mutate"]["payload"] == {"n": 1}
    assert answer["steps"]["echo"]["output"] == {"n": 1}


def test_what_a_bail_leaves_behind_waits_for_nobody(ben: Runs) -> None:
    answer = ben.start("t-ghost", {"n": 1}, run_id="g1")

    assert answer["suspended"] == [["approve"]]
    assert ben.run("t-ghost", "g1")["steps"]["inner.ask"]["status"] == "canceled"
    assert ben.resume("t-ghost", "g1", {"ok": True})["status"] == "success"


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("&input", "is nothing that JSON can hold"),
        ("to_number('99999999999999999999999')", "is nothing that JSON can hold"),
        ('`"\\u0000"`', "U+0000"),
        ("init[::0]", "failed"),
        ("|".join(["[@, @]"] * 60), "grows too large"),
        ("|".join(["[@, @][]"] * 40), "grows too large"),
        ("join('', [input, input])" + " | join('', [@, @])" * 40, "grows too large"),
        ("to_string([@, @])" + " | to_string([@, @])" * 40, "grows too large"),
    ],
)
def test_a_mapping_that_goes_wrong_fails_the_run(cast: Cast, ben: Runs, mapping: str, message: str) -> None:
    store(cast.tenant, "map", {"steps": [{"type": "mapping", "mapping": mapping}]})
    begun = time.monotonic()

    answer = ben.start("map", "0123456789" if "::" not in mapping else [1])

    assert answer["status"] == "failed"
    assert message in answer["error"]["message"]
    assert time.monotonic() - begun < 3


def test_doublings_from_step_to_step_are_stopped(cast: Cast, ben: Runs) -> None:
    doubling = {"type": "mapping", "mapping": "join('', [to_string(input), to_string(input)])"}
    store(cast.tenant, "boom", {"steps": [doubling] * 30})

    answer = ben.start("boom", "0123456789")

    assert answer["status"] == "failed"


@pytest.mark.parametrize("name", ["t-map-raises", "t-branch-raises"])
def test_a_function_of_a_graph_that_raises_fails_the_run(ben: Runs, name: str) -> None:
    answer = ben.start(name, {})

    message = f"The function {name}/0 failed with KeyError; the server's log has the details."
    assert answer["error"] == {"message": message, "name": "StepFailed"}


def test_a_loop_of_mappings_ends(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "part", {"steps": [{"type": "mapping", "mapping": "input"}]})
    loop = {
        "type": "loop", "loopType": "dowhile", "step": {"type": "workflow", "id": "x", "workflowId": "part"},
        "condition": {"op": "exists", "path": "input"},
    }  # fmt: skip
    store(cast.tenant, "endless", {"steps": [loop]})

    answer = ben.start("endless", 1)

    assert answer["error"]["message"] == "The run has more than 10000 step records."


@pytest.mark.parametrize(
    "given", [{"ms": 1e18}, {"at": "0001-01-01T00:00:00+14:00"}, {"at": "9999-12-31T23:59:59-14:00"}]
)
def test_extreme_moments_are_no_faults_of_ours(cast: Cast, ben: Runs, given: dict[str, Any]) -> None:
    node = {"type": "sleep", "duration": "input.ms"} if "ms" in given else {"type": "sleepUntil", "date": "input.at"}
    store(cast.tenant, "sleeps", {"steps": [node]})
    with override_settings(WAIT_SECONDS=0.1):
        ben.start("sleeps", given, run_id="z1")

    assert ben.run("sleeps", "z1")["status"] in ("waiting", "success")


@pytest.mark.parametrize("name", ["t-state-nul", "t-state-object", "t-suspend-object", "t-bail-nul", "t-deep"])
def test_what_cannot_be_kept_fails_the_step(ben: Runs, name: str) -> None:
    assert ben.start(name, 1)["status"] == "failed"


def test_long_names_are_no_fault(cast: Cast, ben: Runs) -> None:
    slug, name = "s" * 118, "a" * 119
    store(cast.tenant, slug, {"steps": [{"type": "mapping", "mapping": "input"}, {"type": "sleep", "duration": 0}]})
    store(cast.tenant, "n0", {"steps": [calls("echo", id=name)]})
    for depth in range(1, 4):
        store(cast.tenant, f"n{depth}", {"steps": [{"type": "workflow", "id": name, "workflowId": f"n{depth - 1}"}]})

    assert ben.start(slug, 1)["result"] == 1
    assert ben.start("n3", 1)["result"] == 1


def test_a_shared_run_id_is_a_conflict(cast: Cast) -> None:
    Tenant.objects.filter(pk=cast.tenant.pk).update(maps_users=False)
    for topic in ("rights", "credentials"):
        announce(topic, cast.tenant.id)
    Runs(cast.ben).start("t-ok", {"n": 1}, run_id="shared", resourceId="team")

    answer = Runs(cast.bea).start("t-ok", {"n": 1}, run_id="shared", resourceId="team", status=409)

    assert answer == {"error": "This runId is taken; choose another."}


def test_a_transactional_step_that_waits_has_written_nothing(cast: Cast, ben: Runs) -> None:
    before = Workflow.objects.filter(tenant=cast.tenant, slug="written").count()
    ben.start("t-writes-and-waits", str(cast.tenant.id), run_id="w1")
    assert Workflow.objects.filter(tenant=cast.tenant, slug__startswith="written").count() == before

    ben.resume("t-writes-and-waits", "w1", "go")

    assert Workflow.objects.filter(tenant=cast.tenant, slug__startswith="written").count() == before + 1
