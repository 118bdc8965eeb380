"""GET /tools, GET /tools/:toolId, POST /tools/:toolId/execute."""

from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from receipts.models import AuditEntry
from tests.agents.grants import grant
from tests.agents.http import Answer, get, request
from tests.cast import Cast, Person
from tests.queries import counted_queries
from tests.toolbox.conftest import change
from toolbox.answers import list_tools


def execute(person: Person, tool_id: str, **body: Any) -> Answer:
    return request(person, "POST", f"/tools/{tool_id}/execute", body)


def test_the_list_is_keyed_by_id(cast: Cast) -> None:
    answer = get(cast.vic, "/tools")

    assert answer.status == 200
    assert list(answer.body) == ["calculator", "current_time", "http_fetch"]
    assert {tool_id: tool["id"] for tool_id, tool in answer.body.items()} == {name: name for name in answer.body}
    assert answer.body["current_time"] == {
        "id": "current_time",
        "description": "The date, the weekday and the time of now.",
        "requireApproval": False,
        "inputSchema": {
            "type": "object",
            "properties": {
                "timezone": {
                    "type": "string",
                    "maxLength": 80,
                    "default": "UTC",
                    "description": "The IANA name of a time zone, such as Europe/Berlin.",
                }
            },
            "additionalProperties": False,
        },
        "outputSchema": answer.body["current_time"]["outputSchema"],
        "annotations": {"title": "Current time", "readOnlyHint": True, "openWorldHint": False},
        "mcp": {"annotations": {"title": "Current time", "readOnlyHint": True, "openWorldHint": False}},
    }


def test_the_list_can_be_narrowed_and_shortened(cast: Cast) -> None:
    assert list(get(cast.ben, "/tools?query=ARITHMETIC").body) == ["calculator"]
    assert list(get(cast.ben, "/tools?query=fetch").body) == ["http_fetch"]
    assert set(get(cast.ben, "/tools?partial=true").body["calculator"]) == {
        "id", "description", "requireApproval", "annotations", "mcp",
    }  # fmt: skip


def test_one_tool_is_read_as_it_is_listed(cast: Cast) -> None:
    assert get(cast.ben, "/tools/calculator").body == get(cast.ben, "/tools").body["calculator"]


@pytest.mark.parametrize("tool_id", ["nobody", "Calculator", "calculator%00", "x" * 300])
def test_a_missing_tool_is_404(cast: Cast, tool_id: str) -> None:
    assert get(cast.ben, f"/tools/{tool_id}") == Answer(404, {"error": "Tool not found"})
    assert execute(cast.ben, tool_id, data={}) == Answer(404, {"error": "Tool not found"})


def test_a_disabled_tool_is_like_a_missing_one(cast: Cast) -> None:
    change(cast, "calculator", enabled=False)

    assert "calculator" not in get(cast.ana, "/tools").body
    assert get(cast.ana, "/tools/calculator") == Answer(404, {"error": "Tool not found"})
    assert execute(cast.ana, "calculator", data={"expression": "1"}).status == 404
    assert "calculator" in get(cast.zoe, "/tools").body


def test_a_department_and_a_grant_decide_who_sees_it(cast: Cast) -> None:
    change(cast, "calculator", department=cast.support)
    grant(cast, "tools:*", "calculator", object_type="tool", user=cast.vic.user)

    assert "calculator" not in get(cast.ben, "/tools").body
    assert execute(cast.ben, "calculator", data={"expression": "1"}).status == 404
    for person in (cast.bea, cast.vic, cast.adam):
        assert "calculator" in get(person, "/tools").body
        assert execute(person, "calculator", data={"expression": "1"}).body == {"result": 1, "text": "1"}
    assert execute(cast.vic, "current_time", data={}).status == 404


def test_the_answer_is_the_value_itself(cast: Cast, bad_tools: None) -> None:
    assert execute(cast.ben, "weather", data={"city": "Kiel"}) == Answer(200, {"city": "Kiel", "units": "c"})


@pytest.mark.parametrize("data", [0, "", False, None, []])
def test_falsy_data_is_legal_where_the_schema_allows_it(cast: Cast, bad_tools: None, data: Any) -> None:
    assert execute(cast.ben, "tells_its_process", data=data).body["given"] == data


def test_data_is_required(cast: Cast) -> None:
    assert execute(cast.ben, "calculator") == Answer(
        400, {"error": "Invalid request body", "issues": [{"field": "data", "message": "data is required"}]}
    )


def test_input_that_breaks_the_schema_is_400_with_issues(cast: Cast, bad_tools: None) -> None:
    assert execute(cast.ben, "weather", data={"units": 1}) == Answer(
        400,
        {
            "error": "Invalid input for the tool weather",
            "issues": [
                {"field": "data.city", "message": "Field required"},
                {"field": "data.units", "message": "Input should be a valid string"},
            ],
        },
    )


def test_unknown_keys_are_named(cast: Cast) -> None:
    answer = execute(cast.ben, "calculator", data={"expression": "1"}, input={})

    assert answer.status == 400
    assert [issue["field"] for issue in answer.body["issues"]] == ["input"]


def test_run_and_context_reach_the_tool(cast: Cast, bad_tools: None) -> None:
    body = {"data": {}, "requestContext": {"locale": "de"}}
    context = request(cast.ben, "POST", "/tools/tells_its_context/execute?runId=run-7", body).body

    assert (context["run_id"], context["request_context"]) == ("run-7", {"locale": "de"})


@pytest.mark.parametrize(("tool_id", "status"), [("raises", 502), ("exits", 502), ("loops", 504), ("floods", 502)])
def test_a_failing_tool_is_a_sentence_and_a_trace_id(cast: Cast, bad_tools: None, tool_id: str, status: int) -> None:
    answer = execute(cast.ben, tool_id, data={})

    assert answer.status == status
    assert set(answer.body) == {"error", "traceId"}
    assert answer.body["error"].startswith(f"Tool {tool_id} ")
    assert "secret" not in str(answer.body)
    assert execute(cast.ben, "weather", data={"city": "Kiel"}).status == 200


def test_one_call_s_time_bounds_every_tool(cast: Cast, bad_tools: None, settings: Settings, tmp_path: Path) -> None:
    settings.LIMIT_CALL_SECONDS = 0.5

    answer = execute(cast.ben, "sleeps", data=str(tmp_path / "pid"))

    assert (answer.status, answer.body["error"]) == (
        504, "Tool sleeps took longer than 0.5 seconds and was stopped; ask for less.",
    )  # fmt: skip


def test_a_tool_that_needs_approval_is_409_and_does_not_run(cast: Cast, bad_tools: None, tmp_path: Path) -> None:
    answer = execute(cast.ana, "needs_approval", data=str(tmp_path / "file"))

    assert answer.status == 409
    assert answer.body == {
        "error": "Tool needs_approval runs only after a person has approved the call, which nobody can do here yet."
    }
    assert list(tmp_path.iterdir()) == []


def test_who_may_only_read_may_not_execute(cast: Cast) -> None:
    answer = execute(cast.vic, "calculator", data={"expression": "1"})

    assert (answer.status, answer.body["message"]) == (403, "Missing required permission: tools:execute")


def test_a_call_is_written_down(cast: Cast) -> None:
    execute(cast.ben, "calculator", data={"expression": "1"})

    entry = AuditEntry.objects.get(tenant_id=cast.tenant.pk, operation="post ToolExecute")
    assert (entry.object_type, entry.object_id, entry.outcome, entry.status) == ("tool", "calculator", "ok", 200)


def test_a_list_costs_one_query_once_the_rows_are_there(cast: Cast) -> None:
    principal = cast.ben.principal
    change(cast, "calculator", enabled=True)

    with counted_queries() as seen:
        list_tools(principal)

    assert len(seen) == 1
