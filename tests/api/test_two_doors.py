"""Every route through both doors: plain HTTP and the call inside the process give the same status and body."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.test import Client

from agents.models import Agent
from api.calls import Call, Circumstances
from api.dispatch import send
from api.exception_handler import as_platform_error
from api.replies import Pending
from api.routes import Registered, registered
from tests.cast import Cast, Person
from tests.workflows import flows  # noqa: F401  (registers functions)
from tests.workflows.stored import calls, store
from workflows.actions import start_run
from workflows.models import WorkflowRun

# What makes an answer differ from one call to the next, and says nothing about the door.
PASSING = frozenset(
    {
        "id",
        "runId",
        "traceId",
        "startedAt",
        "endedAt",
        "suspendedAt",
        "resumedAt",
        "spanId",
        "threadId",
        "createdAt",
        "updatedAt",
        "timestamp",
        "requestId",
        "now",
    }
)

BODIES: dict[tuple[str, str], list[Any]] = {
    ("agent", "PATCH"): [
        {"description": "Answers questions."},
        {"name": 1},
        {"nonsense": True},
        {"enabled": "perhaps"},
    ],
    ("tool-execute", "POST"): [
        {"data": {"timezone": "Europe/Berlin"}},
        {"data": {"timezone": 1}},
        {"data": {"nonsense": 1}},
        {"data": None},
        {},
        {"data": {}, "requestContext": 1},
    ],
    ("workflow-start", "POST"): [
        {"inputData": {"n": 1}},
        {"inputData": {"n": "one"}},
        {"inputData": {"n": 1}, "perStep": "perhaps"},
        {"nonsense": 1},
    ],
    ("workflow-resume", "POST"): [{"resumeData": {"ok": True}}, {"step": 1}, {"nonsense": 1}],
    ("agent-generate", "POST"): [{"messages": "Hello"}, {}, {"messages": "Hello", "maxSteps": 0}, {"nonsense": 1}],
}
QUERIES: list[dict[str, str]] = [
    {},
    {"query": "zzz"},
    {"nonsense": "1"},
    {"page": "-1"},
    {"perPage": "0"},
    {"maxTokens": "x"},
    {"fields": "status"},
    {"status": "asleep"},
]


def operations() -> list[tuple[str, str]]:
    """(route name, method) of every operation."""
    return sorted(
        (name, method)
        for name, found in registered().items()
        for method in ("GET", "POST", "PATCH", "PUT", "DELETE")
        if found.view.operation_of(method) is not None
    )


def path_values(found: Registered, agent: Agent) -> dict[str, str]:
    """Values for the pattern's parameters."""
    names = [part.strip("<>").rpartition(":")[2] for part in found.pattern.split("/") if part.startswith("<")]
    known = {"agent_id": agent.slug, "tool_id": "current_time", "workflow_id": "asking", "run_id": "r1"}
    assert set(names) <= set(known), f"Say what to put for {names}."
    return {name: known[name] for name in names}


def address(found: Registered, path: dict[str, str]) -> str:
    """The route's address with its values."""
    parts = found.pattern.split("/")
    shown = [path[part.strip("<>").rpartition(":")[2]] if part.startswith("<") else part for part in parts]
    return f"{settings.API_PREFIX}/{'/'.join(shown)}"


def over_http(person: Person, method: str, url: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
    """Status and body of the HTTP door."""
    answer = Client().generic(
        method,
        f"{url}?{urlencode(query)}" if query else url,
        json.dumps(body) if body is not None else "",
        content_type="application/json",
        headers=person.headers,
    )
    return answer.status_code, json.loads(answer.content)


def in_process(person: Person, call: Call) -> tuple[int, Any]:
    """Status and body of the inner door."""
    try:
        reply = send(person.by_key(), call)
        if isinstance(reply, Pending):
            reply = reply.future.result(30)
    except Exception as failure:
        if (error := as_platform_error(failure, call.method)) is None:
            raise
        return error.status, error.body()
    return reply.status, json.loads(json.dumps(reply.body))


def settled(value: Any) -> Any:
    """The value without what passes."""
    if isinstance(value, dict):
        return {name: settled(inner) for name, inner in value.items() if name not in PASSING}
    return [settled(inner) for inner in value] if isinstance(value, list) else value


@pytest.fixture
def agent(cast: Cast) -> Agent:
    """An agent that everybody sees."""
    return Agent.objects.create(
        tenant=cast.tenant, slug="helper", name="Helper", instructions="Answer.", model="offline/demo", memory=False
    )


@pytest.fixture(autouse=True)
def asking(cast: Cast) -> None:
    """A workflow that asks, and a run of ana's that was asked."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    store(cast.tenant, "asking", {"inputSchema": schema, "steps": [calls("approve")]})
    start_run(cast.ana.principal, "asking", given={"n": 1}, run_id="r1")


def again(cast: Cast) -> None:
    """The run waits as it did at the beginning."""
    WorkflowRun.objects.filter(tenant=cast.tenant, run_id="r1").update(status="suspended", ended_at=None)


@pytest.mark.parametrize(("name", "method"), operations())
def test_a_route_answers_alike_through_both_doors(cast: Cast, agent: Agent, name: str, method: str) -> None:
    found = registered()[name]
    path = path_values(found, agent)
    tries = BODIES.get((name, method), [{}]) if method != "GET" else QUERIES

    for person in (cast.ana, cast.vic):
        for wanted in tries:
            query, body = (wanted, None) if method == "GET" else ({}, wanted)
            again(cast)
            outside = over_http(person, method, address(found, path), query, body)
            call = Call(name, method, path=path, query=query, body=body, circumstances=Circumstances(door="mcp"))
            again(cast)
            inside = in_process(person, call)

            assert settled(list(inside)) == settled(list(outside)), (person.user.username, wanted)
