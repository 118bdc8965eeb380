"""Every route and every tool against every tenant's objects: a foreign one is answered like a missing one."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client

from agents.actions import create_agent
from agents.models import Agent
from api.checks import path_of
from api.naming import camel
from api.routes import Route, registered
from api.toolsets import specs
from gateway import calls
from gateway.sources.templates import template
from identity.models import Department
from tests.api.minimal import inputs, value
from tests.cast import Cast, Person
from tests.workflows import flows  # noqa: F401  (registers functions)
from tests.workflows.stored import calls as calls_to
from tests.workflows.stored import store
from toolbox.models import Tool
from workflows.actions import start_run

PEOPLE = ("ana", "adam", "olga", "ben", "vic")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def agent(cast: Cast, name: str) -> str:
    """A public agent of zoe's."""
    return create_agent(cast.zoe.principal, slug=name, name=f"Agent {name}", description=f"For {name}.").slug


def department(cast: Cast, name: str) -> str:
    """A department of zoe's."""
    return str(Department.objects.create(tenant=cast.other_tenant, slug=name, name=f"Department {name}").id)


def tool(cast: Cast, name: str) -> str:
    """A tool of zoe's that nobody else has."""
    return Tool.objects.create(tenant=cast.other_tenant, slug=name).slug


def workflow(cast: Cast, name: str) -> str:
    """A workflow of zoe's."""
    return store(cast.other_tenant, name, {"steps": [calls_to("echo")]}, name=f"Workflow {name}").slug


def run(cast: Cast, name: str) -> str:
    """A run of zoe's, of a workflow of the same name."""
    workflow(cast, f"{name}-run")
    return start_run(cast.zoe.principal, f"{name}-run", given=name, run_id=f"{name}-run").run.run_id


# Makes a foreign object by the name of the path value or argument that holds its id; a new kind of id needs a line.
MAKERS: dict[str, Callable[[Cast, str], str]] = {
    "agent_id": agent,
    "department_id": department,
    "tool_id": tool,
    "workflow_id": workflow,
    "run_id": run,
}
MISSING = {
    "agent_id": "nobody-here",
    "department_id": str(uuid4()),
    "tool_id": "nothing-here",
    "workflow_id": "nothing-flows",
    "run_id": "nothing-runs",
}
# Ids that a client chooses: somebody else's is free.
CHOSEN = frozenset({"thread_id", "resource_id", "run_id"})

OPERATIONS = [
    Route(method, name)
    for name, found in sorted(registered().items())
    for method in METHODS
    if found.view.operation_of(method)
]
WITH_IDS = [route for route in OPERATIONS if path_of(registered()[route.name])]
LISTS = [route for route in OPERATIONS if route.method == "GET" and not path_of(registered()[route.name])]
ARGUMENTS = [
    (spec.name, argument)
    for spec in specs().values()
    for argument in template(spec, "").input_schema["properties"]
    if argument.endswith("Id")
    and (argument not in map(camel, CHOSEN) or argument in template(spec, "").input_schema.get("required", ()))
]


@pytest.fixture
def marker() -> str:
    """A word that only foreign objects hold."""
    return f"foreign{uuid4().hex[:12]}"


def key(person: Person) -> str:
    return person.issue(["*"], calls_per_minute=100_000, burst=10_000)


def ask(key: str, route: Route, path: dict[str, str]) -> tuple[int, str]:
    address = registered()[route.name].pattern
    for name, wanted in path.items():
        address = address.replace(f"<str:{name}>", wanted).replace(f"<uuid:{name}>", wanted)
    operation = registered()[route.name].view.operation_of(route.method)
    assert operation is not None
    query, body = inputs(operation)
    answer = Client().generic(
        route.method, f"{settings.API_PREFIX}/{address}", "" if body is None else json.dumps(body),
        content_type="application/json", query_params=query, headers={"Authorization": f"Bearer {key}"},
    )  # fmt: skip
    return answer.status_code, answer.content.decode()


def use(principal: Any, tool: str, arguments: dict[str, Any]) -> Any:
    """The tool's result, or the error that it raises."""
    try:
        result = asyncio.run(calls.call(principal, tool, arguments, calls.Context(uuid4().hex)))
    except calls.UnknownTool as unknown:
        return str(unknown)
    return json.loads(result)


@pytest.mark.parametrize("route", WITH_IDS, ids=str)
@pytest.mark.parametrize("person", PEOPLE)
def test_a_route_tells_nothing_of_a_foreign_object(cast: Cast, marker: str, route: Route, person: str) -> None:
    names = path_of(registered()[route.name])
    foreign = {name: MAKERS[name](cast, marker) for name in names}
    missing = {name: MISSING[name] for name in names}
    text = key(getattr(cast, person))

    status, shown = ask(text, route, foreign)
    status_of_missing, shown_of_missing = ask(text, route, missing)

    for name in names:
        shown, shown_of_missing = shown.replace(foreign[name], "…"), shown_of_missing.replace(missing[name], "…")
    assert (status, shown) == (status_of_missing, shown_of_missing)
    assert status in (403, 404)
    assert list(Agent.objects.filter(tenant=cast.other_tenant).values_list("name", flat=True)) == [
        f"Agent {marker}" for name in names if name == "agent_id"
    ]


@pytest.mark.parametrize("route", WITH_IDS, ids=str)
def test_the_owner_of_a_tenant_reads_that_it_is_missing(cast: Cast, marker: str, route: Route) -> None:
    names = path_of(registered()[route.name])

    status, shown = ask(key(cast.ana), route, {name: MAKERS[name](cast, marker) for name in names})

    assert status == 404
    assert set(json.loads(shown)) == {"error"}


@pytest.mark.parametrize("route", LISTS, ids=str)
@pytest.mark.parametrize("person", PEOPLE)
def test_a_list_never_holds_a_foreign_object(cast: Cast, marker: str, route: Route, person: str) -> None:
    ids = [make(cast, marker) for make in MAKERS.values()]

    status, shown = ask(key(getattr(cast, person)), route, {})
    own_status, own = ask(key(cast.zoe), route, {})

    assert (status, own_status) == (200, 200)
    assert not [word for word in (marker, *ids, str(cast.other_tenant.id), cast.other_tenant.slug) if word in shown]
    assert marker in own or route.name not in ("agents", "departments")


@pytest.mark.parametrize(("tool", "argument"), ARGUMENTS)
@pytest.mark.parametrize("person", PEOPLE)
def test_a_tool_tells_nothing_of_a_foreign_object(
    cast: Cast, marker: str, tool: str, argument: str, person: str
) -> None:
    name = next(name for name in MAKERS if camel(name) == argument)
    schema = template(specs()[tool], "").input_schema
    wanted = {needed: value(schema["properties"][needed]) for needed in schema.get("required", ())}
    if "agentId" in wanted and argument != "agentId":
        wanted["agentId"] = create_agent(cast.ana.principal, slug="own", name="Own").slug
    if "workflowId" in wanted and argument != "workflowId":
        wanted["workflowId"] = store(cast.tenant, "own", {"steps": [calls_to("echo")]}).slug
    principal, ids = getattr(cast, person).by_key(), (MAKERS[name](cast, marker), MISSING[name])

    answers = [use(principal, tool, {**wanted, argument: wrong}) for wrong in ids]

    assert all(isinstance(answer, str) or answer["isError"] for answer in answers)
    shown = [json.dumps(answer).replace(wrong, "…") for answer, wrong in zip(answers, ids, strict=True)]
    assert shown[0] == shown[1]
    assert marker not in shown[0]


@pytest.mark.parametrize("tool", sorted(specs()))
def test_a_tool_without_ids_never_shows_a_foreign_object(cast: Cast, marker: str, tool: str) -> None:
    ids = [make(cast, marker) for make in MAKERS.values()]
    schema = template(specs()[tool], "").input_schema
    if wanted := [needed for needed in schema.get("required", ()) if needed.endswith("Id")]:
        assert {(tool, argument) for argument in wanted} <= set(ARGUMENTS)
        return

    shown = json.dumps(use(cast.ana.by_key(), tool, {}))

    assert not [word for word in (marker, *ids, str(cast.other_tenant.id), cast.other_tenant.slug) if word in shown]
