"""whoami: the facts of a credential, and why a list is as short as it is."""

from typing import Any

from agents.models import Agent
from tests.agents.http import get
from tests.cast import Cast
from tests.gateway.clients import Door


def told(door: Door, key: str, query: str = "") -> Any:
    return door.call(key, "whoami", query=query).value


def test_whoami_tells_who_calls(cast: Cast, door: Door) -> None:
    facts = told(door, cast.ben.key)

    assert facts["user"] == {
        "id": str(cast.ben.user.id), "name": cast.ben.user.shown_name, "email": cast.ben.user.email,
    }  # fmt: skip
    assert facts["role"] == "member"
    assert facts["tenant"] == {"id": str(cast.tenant.id), "slug": cast.tenant.slug, "name": cast.tenant.name}
    assert facts["departments"] == [{"id": str(cast.sales.id), "slug": "sales", "name": "Sales"}]
    assert facts["missions"] == []
    assert facts["limits"] == {"callsPerMinute": 120, "concurrentCalls": 8, "resultCharacters": 100_000}
    assert facts["server"]["name"] == "atrium"
    assert facts["server"]["protocolVersions"][0] == "2026-07-28"


def test_whoami_tells_of_the_credential(cast: Cast, door: Door) -> None:
    credential = told(door, cast.ben.issue(["agent_list"], read_only=True))["credential"]

    assert credential["kind"] == "api_key"
    assert credential["name"] == "test"
    assert credential["router"] is False
    assert credential["readOnly"] is True
    assert credential["expiresAt"].endswith("Z")


def test_whoami_names_what_is_advertised(cast: Cast, door: Door) -> None:
    tools = told(door, cast.ben.key)["tools"]

    assert tools["advertised"] == door.names(cast.ben.key)
    assert tools["reachable"] == 15
    assert tools["notAdvertised"] == []


def test_the_role_hides_by_permission(cast: Cast, door: Door) -> None:
    assert told(door, cast.vic.key)["tools"]["hidden"] == {
        "permission": 6, "scope": 0, "allowlist": 0, "readOnly": 0, "unavailable": 0,
    }  # fmt: skip


def test_each_layer_counts_what_it_hides(cast: Cast, door: Door) -> None:
    key = cast.ana.issue(["agent_*"], scopes=["mcp:read", "mcp:execute"], read_only=True)

    assert told(door, key)["tools"]["hidden"] == {
        "permission": 0, "scope": 1, "allowlist": 10, "readOnly": 1, "unavailable": 0,
    }  # fmt: skip


def test_an_empty_allowlist_explains_itself(cast: Cast, door: Door) -> None:
    tools = told(door, cast.ana.issue([]))["tools"]

    assert tools["advertised"] == ["whoami", "get_context"]
    assert tools["hidden"]["allowlist"] == 14


def test_an_address_is_part_of_the_facts(cast: Cast, door: Door) -> None:
    tools = told(door, cast.ana.key, "?readonly=1")["tools"]

    assert tools["hidden"]["readOnly"] == 6
    assert "agent_update" not in tools["advertised"]


def test_a_router_key_reaches_more_than_it_is_shown(cast: Cast, door: Door, helper: Agent) -> None:
    facts = told(door, cast.ben.issue(["execute_tool", "agent_*"]))

    assert facts["credential"]["router"] is True
    assert facts["tools"]["advertised"] == ["search_tools", "describe_tool", "execute_tool", "whoami"]
    assert facts["tools"]["reachable"] == 5


def test_whoami_needs_no_place_on_the_allowlist_over_http_too(cast: Cast, door: Door) -> None:
    answer = get(cast.ben, "/whoami")

    assert answer.status == 200
    assert answer.body["role"] == "member"
