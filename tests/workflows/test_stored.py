"""Stored graphs: the same runs as those in Python, and faults that are named by their place."""

import json
from typing import Any

import pytest

from ground.errors import InvalidInput
from tests.cast import Cast
from tests.workflows.client import TIMES, Runs
from tests.workflows.stored import calls, store
from workflows import code
from workflows.models import WorkflowRun

MINE = frozenset({"runId", "traceId", "resourceId", *TIMES})
BIG = {"op": "gt", "left": {"path": "input.n"}, "right": {"literal": 10}}
EIGHT = {"op": "gte", "left": {"path": "input.n"}, "right": {"literal": 8}}


def anonymous(value: Any) -> Any:
    """The answer but for ids and moments."""
    if isinstance(value, dict):
        return {name: anonymous(inner) for name, inner in value.items() if name not in MINE}
    return [anonymous(inner) for inner in value] if isinstance(value, list) else value


def test_stored_and_python_give_byte_equal_records(cast: Cast, ben: Runs) -> None:
    written = code.workflows()["t-all"].written()
    zoe = Runs(cast.zoe)
    from workflows.definitions import furnish
    from workflows.models import Workflow

    furnish(cast.other_tenant.id)
    Workflow.objects.filter(tenant=cast.other_tenant, slug="t-all").delete()
    store(cast.other_tenant, "t-all", json.loads(json.dumps(written)))

    for n in (1, 12):
        python, stored = ben.start("t-all", {"n": n}), zoe.start("t-all", {"n": n})
        python = ben.resume("t-all", python["runId"], {"ok": True})
        stored = zoe.resume("t-all", stored["runId"], {"ok": True})
        assert python["status"] == "success"
        assert json.dumps(anonymous(python)) == json.dumps(anonymous(stored))
        runs = ben.run("t-all", python["runId"]), zoe.run("t-all", stored["runId"])
        first, second = (json.dumps(anonymous(run), sort_keys=True) for run in runs)
        assert first == second


def test_a_stored_workflow_is_listed_with_its_origin(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "mine", {"steps": [calls("add")]}, description="Adds.")

    found = ben.get("/mine")

    assert (found["id"], found["origin"], found["description"]) == ("mine", "dynamic", "Adds.")
    assert Runs(cast.zoe).get("/mine", status=404) == {"error": "Workflow not found"}


def test_a_run_is_pinned_to_the_version_it_was_started_with(cast: Cast, ben: Runs) -> None:
    workflow = store(cast.tenant, "mine", {"steps": [calls("approve"), calls("echo")]})
    ben.start("mine", {"n": 1}, run_id="old")

    store_again(workflow, {"steps": [calls("approve"), calls("refuse")]})
    ben.start("mine", {"n": 1}, run_id="new")

    assert ben.resume("mine", "old", {"ok": True})["status"] == "success"
    assert ben.resume("mine", "new", {"ok": True})["status"] == "failed"
    versions = [run.version.number for run in WorkflowRun.objects.filter(workflow=workflow).order_by("created_at")]
    assert versions == [1, 2]


def store_again(workflow: Any, graph: dict[str, Any]) -> None:
    """Change the graph."""
    tenant, slug = workflow.tenant, workflow.slug
    workflow.graph = graph
    workflow.save()
    from ground.invalidation import announce

    announce("surface", tenant.id)
    assert slug


def test_a_stored_workflow_holds_another(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "part", {"steps": [calls("add"), calls("double")]})
    store(cast.tenant, "whole", {"steps": [{"type": "workflow", "id": "p", "workflowId": "part"}, calls("echo")]})

    answer = ben.start("whole", {"n": 1})

    assert answer["result"] == {"n": 4}
    assert answer["stepExecutionPath"] == ["p", "p.add", "p.double", "echo"]


def test_a_part_that_the_caller_may_not_use_is_refused(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "part", {"steps": [calls("add")]}, department=cast.support)
    store(cast.tenant, "whole", {"steps": [{"type": "workflow", "id": "p", "workflowId": "part"}]})

    sentence = "Workflow whole contains the workflow part, which does not exist or is not yours to use."
    assert ben.start("whole", {"n": 1}, status=400) == {"error": sentence}
    assert Runs(cast.bea).start("whole", {"n": 1})["result"] == {"n": 2}


@pytest.mark.parametrize(
    ("graph", "field", "message"),
    [
        ({"steps": []}, "steps", "has less than 1 item"),
        ({"steps": [{"type": "wait"}]}, "steps.0.type", "must be one of step, workflow"),
        ({"steps": [calls("nobody")]}, "steps.0.step.function", "names the function nobody, which does not exist"),
        ({"steps": [calls("add"), calls("add")]}, "steps.1.step.id", "is the id add again, as at steps.0.step.id"),
        ({"steps": [calls("add", id="input")]}, "steps.0.step.id", "is a word of its own"),
        ({"steps": [calls("add", id="a.b")]}, "steps.0.step.id", "does not match"),
        ({"steps": [calls("add", tool="x")]}, "steps.0.step", "must name exactly one of function, agent, tool"),
        ({"steps": [{"type": "mapping", "mapping": "input.["}]}, "steps.0.mapping", "which is no JMESPath expression"),
        ({"steps": [calls("add", input={"n": "]"})]}, "steps.0.step.input", "which is no JMESPath expression"),
        ({"steps": [{"type": "sleep", "duration": -1}]}, "steps.0.duration", "must be 0 to"),
        ({"steps": [{"type": "foreach", "step": calls("add"), "opts": {"concurrency": 0}}]},
         "steps.0.opts.concurrency", "less than the minimum"),
        ({"steps": [{"type": "parallel", "steps": [{"type": "sleep", "duration": 1}]}]},
         "steps.0.steps.0.type", "must be step or workflow here"),
        ({"steps": [{"type": "conditional", "steps": [calls("add")], "conditions": [BIG, BIG]}]},
         "steps.0.conditions", "must be as many as there are steps"),
        ({"steps": [{"type": "conditional", "steps": [calls("add")], "conditions": [{"op": "gt"}]}]},
         "steps.0.conditions.0", "is no condition"),
        ({"steps": [{"type": "loop", "step": calls("add"), "condition": {"op": "eq", "left": {"literal": 1},
          "right": {"literal": 1}}, "loopType": "dowhile"}]}, "steps.0.condition", "compares a path on the left"),
        ({"steps": [calls("add")], "inputSchema": {"type": "nothing"}}, "inputSchema", "is no JSON Schema"),
        ({"steps": [calls("add")], "colour": 1}, "graph", "'colour' was unexpected"),
        ({"steps": [calls("add", id=f"s{n}") for n in range(501)]}, "steps", "has more than 500 items"),
    ],
)  # fmt: skip
def test_faults_are_named_by_their_place(cast: Cast, graph: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        store(cast.tenant, "bad", graph)

    assert [issue["field"] for issue in refused.value.issues] == [field]
    assert message in refused.value.issues[0]["message"]


def test_workflows_may_not_contain_themselves(cast: Cast) -> None:
    store(cast.tenant, "a", {"steps": [calls("add")]})
    store(cast.tenant, "b", {"steps": [{"type": "workflow", "id": "x", "workflowId": "a"}]})
    from workflows.models import Workflow

    Workflow.objects.filter(tenant=cast.tenant, slug="a").update(
        graph={"steps": [{"type": "workflow", "id": "y", "workflowId": "b"}]}
    )
    with pytest.raises(InvalidInput, match="Workflow c contains itself, by way of c → a → b → a"):
        store(cast.tenant, "c", {"steps": [{"type": "workflow", "id": "z", "workflowId": "a"}]})


def test_workflows_are_nested_eight_deep_at_most(cast: Cast) -> None:
    store(cast.tenant, "d1", {"steps": [calls("add")]})
    for depth in range(2, 9):
        store(cast.tenant, f"d{depth}", {"steps": [{"type": "workflow", "id": "x", "workflowId": f"d{depth - 1}"}]})

    with pytest.raises(InvalidInput, match="Workflow d9 nests workflows more than 8 deep"):
        store(cast.tenant, "d9", {"steps": [{"type": "workflow", "id": "x", "workflowId": "d8"}]})


def test_one_that_could_not_run_says_why_and_hides_no_other(cast: Cast, ben: Runs) -> None:
    store(cast.tenant, "good", {"steps": [calls("add")]})
    broken = store(cast.tenant, "broken", {"steps": [calls("add")]})
    store_again(broken, {"steps": [calls("gone")]})

    found = ben.get("?partial=true")

    assert {"good", "broken"} <= set(found)
    assert found["broken"]["fault"] == (
        "Invalid workflow graph: steps.0.step.function names the function gone, which does not exist."
    )
    assert ben.start("broken", {"n": 1}, status=400)["error"] == "Invalid workflow graph"
