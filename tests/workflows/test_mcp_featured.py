"""`workflow_<id>`: a featured workflow under a name of its own, as its caller may see and start it."""

from typing import Any

import jsonschema_rs
import pytest

from credentials import known_tools
from gateway.models import FeaturedWorkflow, McpSettings
from ground.invalidation import announce
from tests.agents.grants import grant
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.conftest import door
from tests.workflows.featuring import OBJECT, asking, choices, definition, echoing, feature
from tests.workflows.stored import calls, store
from workflows.models import Workflow

__all__ = ["door"]

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
ODD = {"type": "object", "properties": {"größe": {"type": "integer"}}, "required": ["größe"]}  # a name some refuse
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}


def unknown(name: str) -> dict[str, Any]:
    """What a caller reads of a tool that is not there."""
    return {"code": -32602, "message": f"Unknown tool: {name}"}


def test_it_stands_last_in_its_toolset_by_id(cast: Cast, door: Door) -> None:
    for slug in ("second", "first"):
        echoing(cast.tenant, slug, OBJECT)

    names = door.names(cast.ben.key)

    assert names[names.index("workflow_run_cancel") :][:4] == [
        "workflow_run_cancel", "workflow_first", "workflow_second", "tool_calculator",
    ]  # fmt: skip


def test_it_takes_the_fields_of_its_input(cast: Cast, door: Door) -> None:
    echoing(cast.tenant, "echo", OBJECT, name="Echo", description="Says it again.")

    found = definition(door, cast.ben.key, "workflow_echo")

    assert found is not None
    assert found["title"] == "Echo"
    assert found["description"] == (
        "Starts the workflow Echo and returns its result, or what it waits for and the runId. Says it again."
    )
    assert found["inputSchema"] == OBJECT
    assert found["outputSchema"]["required"] == ["status", "runId"]
    assert found["annotations"] == {
        "readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": True,
    }  # fmt: skip


def test_a_call_starts_it(cast: Cast, door: Door) -> None:
    echoing(cast.tenant, "echo", OBJECT)

    answer = door.call(cast.ben.key, "workflow_echo", {"n": "3", "more": [1]})

    run_id = answer.value["runId"]
    assert answer.value == {"status": "success", "runId": run_id, "result": {"n": 3, "more": [1]}}
    run = door.call(cast.ben.key, "workflow_run_get", {"workflowId": "echo", "runId": run_id}).value
    assert run["payload"] == {"n": 3, "more": [1]}


def test_fields_named_like_arguments_of_ours_are_the_input_s(cast: Cast, door: Door) -> None:
    given = {"workflowId": "other", "runId": "mine", "inputData": 1, "initialState": 2, "dry_run": True}
    echoing(cast.tenant, "echo", {"type": "object", "properties": {name: {} for name in given}})

    answer = door.call(cast.ben.key, "workflow_echo", given).value

    assert (answer["status"], answer["result"]) == ("success", given)
    assert answer["runId"] != "mine"


@pytest.mark.parametrize(
    ("schema", "inner", "given"),
    [
        ({"oneOf": [NUMBER, TEXT]}, {"oneOf": [NUMBER, TEXT]}, "text"),
        (ODD, ODD, {"größe": 3}),
        ({"type": "object", "anyOf": [OBJECT]}, {"type": "object", "anyOf": [OBJECT]}, {"n": 1}),
        ({"type": "array", "items": NUMBER}, {"type": "array", "items": NUMBER}, [1, 2]),
        ({"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}, {"$ref": "#/$defs/Node"}, {"next": {"next": {}}}),
    ],
)
def test_an_input_that_is_no_plain_object_stands_in_input_data(
    cast: Cast, door: Door, schema: dict[str, Any], inner: dict[str, Any], given: Any
) -> None:
    echoing(cast.tenant, "any", schema)

    found = definition(door, cast.ben.key, "workflow_any")

    assert found is not None
    assert found["inputSchema"] == {
        "type": "object",
        "properties": {"inputData": {**inner, "description": "The input; workflow_get shows what it has to be."}},
        "required": ["inputData"],
        **({"$defs": schema["$defs"]} if "$defs" in schema else {}),
        "additionalProperties": False,
    }
    assert door.call(cast.ben.key, "workflow_any", {"inputData": given}).value["result"] == given
    assert door.call(cast.ben.key, "workflow_any").sentence == "workflow_any: inputData is required."


@pytest.mark.parametrize(
    "schema", [{"$ref": "#/definitions/a", "definitions": {"a": NUMBER}}, {"items": {"$ref": "#"}, "type": "array"}]
)
def test_references_that_cannot_move_are_left_to_the_route(cast: Cast, door: Door, schema: dict[str, Any]) -> None:
    echoing(cast.tenant, "any", schema)

    found = definition(door, cast.ben.key, "workflow_any")

    assert found is not None
    assert list(found["inputSchema"]["properties"]["inputData"]) == ["description"]
    assert door.call(cast.ben.key, "workflow_any", {"inputData": "x"}).sentence.startswith("Invalid input data: \n")


def test_without_a_schema_any_input_will_do(cast: Cast, door: Door) -> None:
    echoing(cast.tenant, "any")

    assert door.call(cast.ben.key, "workflow_any").value["result"] is None
    assert door.call(cast.ben.key, "workflow_any", {"inputData": [0, "x"]}).value["result"] == [0, "x"]


def test_definitions_inside_a_plain_object_stay(cast: Cast, door: Door) -> None:
    schema = {"type": "object", "properties": {"node": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": NODE}}
    echoing(cast.tenant, "tree", schema)

    found = definition(door, cast.ben.key, "workflow_tree")

    assert found is not None
    assert found["inputSchema"] == schema


def test_a_schema_that_is_none_hides_no_other_tool(cast: Cast, door: Door) -> None:
    workflow = echoing(cast.tenant, "broken", OBJECT)
    Workflow.objects.filter(pk=workflow.pk).update(graph={"inputSchema": {"type": 7}, "steps": []})
    announce("surface", cast.tenant.id)

    assert "workflow_broken" in door.names(cast.ben.key)
    assert door.call(cast.ben.key, "workflow_broken").sentence.startswith("Invalid workflow graph: ")


def test_every_end_satisfies_the_advertised_schema(cast: Cast, door: Door) -> None:
    echoing(cast.tenant, "ends", OBJECT)
    asking(cast.tenant, "asks")
    feature(cast.tenant, "fails", {"steps": [calls("fail")]})
    feature(cast.tenant, "sleeps", {"steps": [{"type": "sleep", "duration": 3_600_000}]})
    McpSettings.objects.create(tenant=cast.tenant, wait_seconds=0.1)
    wanted = {"ends": ({"n": 1}, "success"), "asks": ({"n": 1}, "suspended"), "fails": ({"inputData": "No."}, "failed"),
              "sleeps": ({}, "running")}  # fmt: skip

    for slug, (given, status) in wanted.items():
        found = definition(door, cast.ben.key, f"workflow_{slug}")
        result = door.call(cast.ben.key, f"workflow_{slug}", given).result
        assert found is not None
        assert result["isError"] is False
        assert result["structuredContent"]["status"] == status
        jsonschema_rs.validate(found["outputSchema"], result["structuredContent"])


def test_a_router_key_reaches_it(cast: Cast, door: Door) -> None:
    echoing(cast.tenant, "echo", OBJECT, description="Repeats parrots.")
    key = cast.ben.issue(["workflow_echo", "execute_tool"])

    found = door.call(key, "search_tools", {"query": "parrots"}).value["tools"]
    answer = door.call(key, "execute_tool", {"name": "workflow_echo", "input": {"n": 1}})

    assert [(row["name"], row["write"]) for row in found] == [("workflow_echo", True)]
    assert answer.value["result"] == {"n": 1}
    assert door.call(key, "describe_tool", {"name": "workflow_echo"}).value["inputSchema"] == OBJECT


@pytest.mark.parametrize("query", ["", "?readonly=1"])
def test_who_may_only_read_does_not_see_it(cast: Cast, door: Door, query: str) -> None:
    echoing(cast.tenant, "echo", OBJECT)
    key = cast.ana.key if query else cast.ana.issue(["*"], read_only=True)

    assert "workflow_echo" not in door.names(key, query)
    assert door.call(key, "workflow_echo", {"n": 1}, query=query).error == unknown("workflow_echo")
    assert "workflow_echo" not in door.names(cast.vic.key)


@pytest.mark.parametrize(
    ("allowlist", "shown"),
    [(["workflow_*"], True), (["workflow_echo"], True), (["workflow_start"], False), (["agent_*"], False)],
)
def test_an_allowlist_may_name_it(cast: Cast, door: Door, allowlist: list[str], shown: bool) -> None:
    echoing(cast.tenant, "echo", OBJECT)

    assert ("workflow_echo" in door.names(cast.ben.issue(allowlist))) is shown


def test_allowlists_know_the_names_of_their_tenant_alone(cast: Cast) -> None:
    echoing(cast.tenant, "echo", OBJECT)

    assert "workflow_echo" in known_tools.names(cast.tenant.id)
    assert "workflow_echo" not in known_tools.names(cast.other_tenant.id)


def test_whoami_counts_it_where_it_is_hidden(cast: Cast, door: Door) -> None:
    before = door.call(cast.ana.issue([]), "whoami").value["tools"]["hidden"]["allowlist"]
    echoing(cast.tenant, "echo", OBJECT)

    assert door.call(cast.ana.issue([]), "whoami").value["tools"]["hidden"]["allowlist"] == before + 1
    assert "workflow_echo" in door.call(cast.ana.key, "whoami").value["tools"]["advertised"]


def test_a_name_that_is_taken_is_not_advertised_and_whoami_says_why(cast: Cast, door: Door) -> None:
    echoing(cast.tenant, "list", OBJECT)

    assert door.names(cast.ben.key).count("workflow_list") == 1
    assert door.call(cast.ben.key, "whoami").value["tools"]["notAdvertised"] == [
        {"name": "workflow_list", "reason": "workflow_list is the name of a tool of the platform."}
    ]


def test_a_long_id_is_cut_and_reaches_the_exact_workflow(cast: Cast, door: Door) -> None:
    slug = "refund-approval-of-the-north-and-of-the-south-and-of-the-rest"
    echoing(cast.tenant, slug, OBJECT)

    [name] = [name for name in door.names(cast.ben.key) if name.startswith("workflow_refund")]

    run_id = door.call(cast.ben.key, name, {"n": 1}).value["runId"]
    assert len(name) == 44
    assert door.call(cast.ben.key, "workflow_run_get", {"workflowId": slug, "runId": run_id}).value["runId"] == run_id


def test_changes_are_felt_at_once(cast: Cast, door: Door) -> None:
    workflow = store(cast.tenant, "echo", {"inputSchema": OBJECT, "steps": [{"type": "mapping", "mapping": "input"}]})
    seen = ["workflow_echo" in door.names(cast.ben.key)]
    row = FeaturedWorkflow.objects.create(tenant=cast.tenant, workflow=workflow)
    seen.append("workflow_echo" in door.names(cast.ben.key))
    row.delete()
    seen.append("workflow_echo" in door.names(cast.ben.key))

    assert seen == [False, True, False]


def test_a_disabled_workflow_is_gone(cast: Cast, door: Door) -> None:
    echoing(cast.tenant, "echo", OBJECT, enabled=False)

    assert "workflow_echo" not in door.names(cast.ben.key)
    assert door.call(cast.ben.key, "workflow_echo", {"n": 1}).error == unknown("workflow_echo")


def test_a_workflow_of_a_department_is_its_members(cast: Cast, door: Door) -> None:
    echoing(cast.tenant, "echo", OBJECT, department=cast.support)

    seen = {name: "workflow_echo" in door.names(getattr(cast, name).key) for name in ("ana", "ben", "bea")}

    assert seen == {"ana": True, "ben": False, "bea": True}
    assert door.call(cast.ben.key, "workflow_echo", {"n": 1}).error == unknown("workflow_echo")
    refused = door.call(cast.ben.key, "workflow_start", {"workflowId": "echo", "inputData": {"n": 1}})
    assert refused.sentence == "Workflow not found"


def test_a_foreign_workflow_is_like_none(cast: Cast, door: Door) -> None:
    echoing(cast.other_tenant, "theirs", OBJECT)

    def refused(slug: str) -> str:
        return door.call(cast.ana.key, "workflow_start", {"workflowId": slug, "inputData": {"n": 1}}).sentence

    assert "theirs" not in str(door.listed(cast.ana.key))
    assert door.call(cast.ana.key, "workflow_theirs", {"n": 1}).error == unknown("workflow_theirs")
    assert refused("theirs") == refused("nowhere") == "Workflow not found"


def test_a_grant_adds_one_workflow_to_list_enum_and_call(cast: Cast, door: Door) -> None:
    for slug in ("granted", "other"):
        echoing(cast.tenant, slug, OBJECT, department=cast.support)
    grant(cast, "workflows:execute", "granted", object_type="workflow", user=cast.vic.user)

    answer = door.call(cast.vic.key, "workflow_granted", {"n": 1})

    assert "workflow_granted" in door.names(cast.vic.key)
    assert "workflow_other" not in door.names(cast.vic.key)
    assert choices(door, cast.vic.key, "workflow_start") == ["granted"]
    assert answer.value["result"] == {"n": 1}
    assert door.call(cast.vic.key, "workflow_other", {"n": 1}).error == unknown("workflow_other")
    refused = door.call(cast.vic.key, "workflow_start", {"workflowId": "other", "inputData": {"n": 1}})
    assert refused.result["isError"] is True
