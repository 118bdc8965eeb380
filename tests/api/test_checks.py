"""What `manage.py check` refuses."""

from dataclasses import replace
from typing import Any

import pytest

from api import checks
from api.operations import operation
from api.routes import Registered, get
from api.serializers import CamelSerializer, Text
from api.toolsets import ToolSpec, specs
from api.views import PlatformView


class Body(CamelSerializer):
    """A body with the name of a path value."""

    agent_id = Text()


class Faulty(PlatformView):
    """Every fault that a handler can have."""

    @operation("agents:fly")
    def get(self, request: Any, agent_id: str) -> None:
        """Needs a permission that does not exist."""

    @operation(None)
    def put(self, request: Any, agent_id: str) -> None:
        pass

    @operation("agents:write", body=Body)
    def patch(self, request: Any, body: dict[str, Any]) -> None:
        """Takes no path value, and the body has its name."""

    def delete(self, request: Any, agent_id: str) -> None:
        """No operation."""


class Empty(PlatformView):
    """No handler at all."""


SPEC = specs()["agent_get"]


def texts(faults: Any) -> list[str]:
    return [str(fault.msg) for fault in faults]


def test_our_own_routes_and_tools_are_in_order() -> None:
    assert checks.check_all() == []


def test_every_fault_of_a_route_is_told() -> None:
    assert texts(checks.faults_of_route("faulty", Registered("x/<str:agent_id>", Faulty))) == [
        "Faulty.get needs agents:fly, which is no permission.",
        "Faulty.put has no docstring; it is what OpenAPI shows.",
        "Faulty.patch must take agent_id, body, request, self.",
        "Faulty.patch has agentId in its path and in its body.",
        "Faulty.delete is not declared with @operation.",
    ]
    assert texts(checks.faults_of_route("empty", Registered("y", Empty))) == ["The route empty has no operation."]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"routes": (get("nowhere"),)}, "The tool agent_get wraps GET nowhere, which does not exist."),
        ({"routes": (get("agent-generate"),)}, "The tool agent_get wraps GET agent-generate, which does not exist."),
        ({"takes": ("agentId*", "colour")}, "The tool agent_get takes colour, which its route does not."),
        ({"dry_run": True}, "The tool agent_get has a dry run, and its route has none."),
        ({"summary": "s" * 300}, "The tool agent_get needs a title and a summary below 300 characters."),
        ({"title": ""}, "The tool agent_get needs a title and a summary below 300 characters."),
        ({"aliases": ("get agent",)}, "get agent is no name of a tool."),
        ({"aliases": ("g" * 65,)}, f"{'g' * 65} is no name of a tool."),
    ],
)
def test_a_fault_of_a_tool_is_told(changes: dict[str, Any], fault: str) -> None:
    assert texts(checks.faults_of_tool(replace(SPEC, **changes))) == [fault]


def test_a_name_is_taken_once() -> None:
    other: ToolSpec = replace(SPEC, name="agent_read", aliases=("agent_get", "get_agent"))

    assert texts(checks.faults_of_names([SPEC, other])) == [
        "agent_get is the name or the alias of 2 tools.",
        "get_agent is the name or the alias of 2 tools.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"), [("agents:read", True), ("agents:*", False), ("*", False), ("agents", False), ("", False)]
)
def test_a_permission_is_one_concrete_pair(text: str, expected: bool) -> None:
    assert checks.is_permission(text) is expected
