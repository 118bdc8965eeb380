"""The tools of an agent, chosen in the admin."""

from typing import Any

from agents.actions import create_agent
from agents.models import Agent
from tests.admin.browser import errors_of, page_of, signed_in
from tests.cast import Cast


def form(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Helper", "description": "", "tags": "", "model": "offline/demo", "instructions": "", "memory": "on",
        "department": "", "visibility": "public", "enabled": "on", **changes,
    }  # fmt: skip


def made(cast: Cast, *tools: str) -> Agent:
    return create_agent(cast.ana.principal, slug="helper", name="Helper", tools=list(tools))


def test_staff_choose_among_the_declared_tools(cast: Cast) -> None:
    agent = made(cast, "current_time")
    client = signed_in(cast.ana)

    page = client.get(page_of(agent)).content.decode()
    response = client.post(page_of(agent), form(tools=["calculator", "http_fetch"]))

    assert [f'value="{name}"' in page for name in ("calculator", "current_time", "http_fetch")] == [True] * 3
    assert response.status_code == 302
    agent.refresh_from_db()
    assert agent.tools == ["calculator", "http_fetch"]


def test_a_tool_that_nobody_declares_cannot_be_added(cast: Cast) -> None:
    agent = made(cast)

    assert list(errors_of(signed_in(cast.ana).post(page_of(agent), form(tools=["no_such_tool"])))) == ["tools"]


def test_a_tool_that_is_declared_no_more_can_be_taken_away(cast: Cast) -> None:
    agent = made(cast, "gone", "calculator")
    client = signed_in(cast.ana)

    page = client.get(page_of(agent)).content.decode()
    client.post(page_of(agent), form(tools=["calculator"]))

    assert 'value="gone"' in page
    agent.refresh_from_db()
    assert agent.tools == ["calculator"]
