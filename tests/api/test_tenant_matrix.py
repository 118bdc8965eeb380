"""Foreign and missing look the same, through every route and every tool; no list shows what is not the caller's."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from agents.models import Agent
from api.routes import registered
from api.toolsets import ToolSpec, specs
from gateway.calls import Context, call
from gateway.router import UnknownTool
from identity.models import Department
from tests.api.test_two_doors import BODIES, address, operations
from tests.cast import Cast, Person

MARK = "unseen"  # stands in every name that ben must never read

# Arguments that a tool needs besides the id, so that nothing but the id is wrong.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "agent_call": {"message": "Hello"},
    "agent_update": {"description": "Changed"},
    "get_context": {},
}


def agent(tenant: Any, slug: str, **facts: Any) -> str:
    """An agent's id."""
    Agent.objects.create(
        tenant=tenant, slug=slug, name=f"{MARK} {slug}", instructions=MARK, model="offline/demo", memory=False, **facts
    )
    return slug


@pytest.fixture
def unseen(cast: Cast) -> dict[str, str]:
    """Ids that ben may not know of, by the reason."""
    return {
        "another tenant's": agent(cast.other_tenant, f"{MARK}-foreign"),
        "another member's own": agent(cast.tenant, f"{MARK}-private", visibility="private", author=cast.bea.user),
        "another department's": agent(cast.tenant, f"{MARK}-support", department=cast.support),
    }


def with_ids() -> list[tuple[str, str]]:
    """Operations whose path names an object."""
    return [(name, method) for name, method in operations() if "<" in registered()[name].pattern]


def without_ids() -> list[str]:
    """Routes that list or describe."""
    return [name for name, method in operations() if method == "GET" and "<" not in registered()[name].pattern]


def ask(person: Person, method: str, url: str, body: Any = None) -> tuple[int, str]:
    """Status and text."""
    payload = json.dumps(body) if body is not None else ""
    answer = Client().generic(method, url, payload, content_type="application/json", headers=person.headers)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize(("name", "method"), with_ids())
def test_a_route_tells_nothing_of_objects_out_of_sight(
    cast: Cast, unseen: dict[str, str], name: str, method: str
) -> None:
    found, body = registered()[name], BODIES.get((name, method), [None])[0]
    # adam holds every permission that this needs, but no owner's bypass; ben is kept out by his role where he lacks it.
    for person in (cast.adam, cast.ben):
        missing = f"{MARK}-{uuid4().hex[:8]}"
        wanted = ask(person, method, address(found, {"agent_id": missing}), body)
        hidden = [slug for why, slug in unseen.items() if person is cast.ben or why != "another department's"]

        for slug in hidden:
            status, text = ask(person, method, address(found, {"agent_id": slug}), body)
            assert (status, text.replace(slug, "ID")) == (wanted[0], wanted[1].replace(missing, "ID"))
        assert wanted[0] in (403, 404)

    assert not Agent.objects.filter(slug__startswith=MARK).exclude(description=None).exclude(description="").exists()


@pytest.mark.parametrize("name", without_ids())
def test_no_list_shows_what_is_out_of_sight(cast: Cast, unseen: dict[str, str], name: str) -> None:
    status, text = ask(cast.ben, "GET", address(registered()[name], {}))

    assert status == 200
    assert MARK not in text


def run(person: Person, name: str, arguments: dict[str, Any]) -> str:
    """The result of a tool as text, or the sentence of the refusal."""
    try:
        return asyncio.run(call(person.by_key(), name, arguments, Context(request_id="matrix"))).decode()
    except UnknownTool as refused:
        return f"refused: {refused.sentence}"


def naming(argument: str) -> list[str]:
    """Tools that take this argument."""
    return sorted(name for name, spec in specs().items() if argument in _arguments(spec))


def _arguments(spec: ToolSpec) -> set[str]:
    own = set(spec.arguments.shared().fields) if spec.arguments is not None else set()
    return own | {name.rstrip("*") for name in spec.takes}


@pytest.mark.parametrize("name", naming("agentId"))
def test_a_tool_tells_nothing_of_agents_out_of_sight(cast: Cast, unseen: dict[str, str], name: str) -> None:
    missing = f"{MARK}-{uuid4().hex[:8]}"
    wanted = run(cast.ben, name, {**ARGUMENTS.get(name, {}), "agentId": missing})

    for slug in unseen.values():
        answer = run(cast.ben, name, {**ARGUMENTS.get(name, {}), "agentId": slug})
        assert answer.replace(slug, "ID") == wanted.replace(missing, "ID")
    assert '"isError":true' in wanted or wanted.startswith("refused")


@pytest.mark.parametrize("name", naming("departmentId"))
def test_a_tool_tells_nothing_of_departments_out_of_sight(cast: Cast, name: str) -> None:
    foreign = str(Department.objects.create(tenant=cast.other_tenant, slug=MARK, name=MARK).pk)
    missing = str(uuid4())
    arguments = {**ARGUMENTS.get(name, {}), **({"agentId": "none"} if "agentId" in _arguments(specs()[name]) else {})}

    answers = [run(cast.ana, name, {**arguments, "departmentId": wanted}) for wanted in (foreign, missing)]

    assert answers[0].replace(foreign, "ID") == answers[1].replace(missing, "ID")


def listing() -> list[str]:
    """Tools that need no argument."""
    found = []
    for name, spec in specs().items():
        own = spec.arguments.shared().fields.values() if spec.arguments is not None else ()
        if not any(taken.endswith("*") for taken in spec.takes) and not any(field.required for field in own):
            found.append(name)
    return sorted(found)


@pytest.mark.parametrize("name", listing())
def test_no_tool_lists_what_is_out_of_sight(cast: Cast, unseen: dict[str, str], name: str) -> None:
    assert MARK not in run(cast.ben, name, {})
