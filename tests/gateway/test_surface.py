"""What each role and key is shown, what stays hidden, and that hidden is unknown."""

import pytest

from agents.models import Agent
from gateway.models import FeaturedAgent, McpSettings
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.conftest import make_agents

SESSION = ["whoami", "get_context"]
READS = ["agent_list", "agent_get"]
WORKFLOW_READS = ["workflow_list", "workflow_get", "workflow_run_get"]
WORKFLOWS = [
    "workflow_list", "workflow_get", "workflow_start", "workflow_run_get", "workflow_run_resume", "workflow_run_cancel",
]  # fmt: skip
TOOLS = ["tool_calculator", "tool_current_time", "tool_http_fetch"]
TOOL_READS = ["tool_list", "tool_get"]
READ_ONLY = [*SESSION, *READS, *WORKFLOW_READS, *TOOL_READS, "department_list"]
EVERYTHING = [*SESSION, *READS, "agent_call", "agent_update", *WORKFLOWS, *TOOLS, "department_list"]


@pytest.mark.parametrize(
    ("person", "listed"),
    [
        ("ana", EVERYTHING),
        ("adam", EVERYTHING),
        ("olga", [*SESSION, *READS, "agent_call", *WORKFLOWS, *TOOLS, "department_list"]),
        ("ben", [*SESSION, *READS, "agent_call", *WORKFLOWS, *TOOLS, "department_list"]),
        ("vic", READ_ONLY),
    ],
)
def test_a_role_is_shown_what_it_may_call(cast: Cast, door: Door, person: str, listed: list[str]) -> None:
    assert door.names(getattr(cast, person).key) == listed


def test_a_read_only_key_is_shown_what_reads(cast: Cast, door: Door) -> None:
    key = cast.ana.issue(["*"], read_only=True)

    assert door.names(key) == READ_ONLY
    assert door.call(key, "agent_call", {"agentId": "x", "message": "hi"}).error["code"] == -32602


def test_a_read_only_address_is_shown_what_reads(cast: Cast, door: Door, helper: Agent) -> None:
    refused = door.call(cast.ana.key, "agent_update", {"agentId": "helper", "name": "New"}, query="?readonly=1")

    assert door.names(cast.ana.key, "?readonly=1") == READ_ONLY
    assert refused.error == {"code": -32602, "message": "Unknown tool: agent_update"}
    helper.refresh_from_db()
    assert helper.name == "Helper"


def test_an_address_narrows_to_the_toolsets_it_names(cast: Cast, door: Door) -> None:
    outside = door.call(cast.ana.key, "department_list", query="?toolsets=agents,workflows")

    assert door.names(cast.ana.key, "?toolsets=agents,workflows") == [*READS, "agent_call", "agent_update", *WORKFLOWS]
    assert outside.error["code"] == -32602
    assert door.call(cast.ana.key, "whoami", query="?toolsets=agents").result["isError"] is False


def test_an_address_never_widens(cast: Cast, door: Door) -> None:
    assert door.names(cast.vic.key, "?toolsets=agents,router&readonly=0") == READS


def test_an_unknown_toolset_is_told_by_whoami(cast: Cast, door: Door) -> None:
    told = door.call(cast.ana.key, "whoami", query="?toolsets=agent").value
    known = "agents, departments, session, tools, workflows"

    assert told["tools"]["advertised"] == []
    assert told["tools"]["notAdvertised"] == [
        {"name": "agent", "reason": f"There is no toolset of this name; there are {known}."}
    ]


def test_settings_of_the_tenant_narrow_everybody(cast: Cast, door: Door) -> None:
    McpSettings.objects.create(tenant=cast.tenant, read_only=True, toolsets=["agents"])

    assert door.names(cast.ana.key) == [*SESSION, *READS]
    assert door.names(cast.zoe.key) == EVERYTHING


@pytest.mark.parametrize(("count", "is_listed"), [(25, True), (26, False)])
def test_ids_are_listed_up_to_the_limit(cast: Cast, door: Door, count: int, is_listed: bool) -> None:
    agents = make_agents(cast, count)

    [call] = [tool for tool in door.listed(cast.ben.key) if tool["name"] == "agent_call"]

    enum = call["inputSchema"]["properties"]["agentId"].get("enum")
    assert enum == ([agent.slug for agent in agents] if is_listed else None)


def test_the_limit_of_ids_is_a_setting(cast: Cast, door: Door) -> None:
    make_agents(cast, 3)
    McpSettings.objects.create(tenant=cast.tenant, enum_limit=2)

    [call] = [tool for tool in door.listed(cast.ben.key) if tool["name"] == "agent_call"]

    assert "enum" not in call["inputSchema"]["properties"]["agentId"]


@pytest.mark.parametrize(
    ("allowlist", "listed"),
    [
        (["agent_*"], [*SESSION, *READS, "agent_call"]),
        (["list_agents"], [*SESSION, "agent_list"]),
        (["department_list", "agent_update"], [*SESSION, "department_list"]),
        ([], SESSION),
    ],
)
def test_an_allowlist_decides_what_is_shown(cast: Cast, door: Door, allowlist: list[str], listed: list[str]) -> None:
    assert door.names(cast.ben.issue(allowlist)) == listed


def test_a_key_without_the_scope_to_call_is_shown_nothing(cast: Cast, door: Door) -> None:
    key = cast.ana.issue(["*"], scopes=["mcp:read"])

    assert door.names(key) == []
    assert door.call(key, "agent_list").error == {"code": -32602, "message": "Unknown tool: agent_list"}


def test_a_key_without_the_scope_to_write_is_shown_no_writes(cast: Cast, door: Door) -> None:
    key = cast.ana.issue(["*"], scopes=["mcp:read", "mcp:execute"])

    assert door.names(key) == [*SESSION, *READS, "agent_call", *WORKFLOWS, *TOOLS, "department_list"]


@pytest.mark.parametrize("name", ["agent_update", "update_agent", "no_such_tool"])
def test_a_hidden_tool_answers_like_an_unknown_one(cast: Cast, door: Door, helper: Agent, name: str) -> None:
    answer = door.call(cast.ben.key, name, {"agentId": "helper", "name": "New"})

    assert answer.error == {"code": -32602, "message": f"Unknown tool: {name}"}
    helper.refresh_from_db()
    assert helper.name == "Helper"


def test_two_members_with_private_agents_never_share_a_listing(cast: Cast, door: Door) -> None:
    for person, slug in ((cast.ben, "bens"), (cast.bea, "beas")):
        Agent.objects.create(
            tenant=cast.tenant, slug=slug, name=slug, visibility="private", author=person.user, model="offline/demo"
        )

    seen = {
        name: [tool["inputSchema"]["properties"].get("agentId", {}).get("enum") for tool in door.listed(person.key)]
        for name, person in (("ben", cast.ben), ("bea", cast.bea))
    }

    assert seen["ben"][3] == seen["ben"][4] == ["bens"]
    assert seen["bea"][3] == seen["bea"][4] == ["beas"]


def test_a_featured_agent_has_a_tool_of_its_own(cast: Cast, door: Door, helper: Agent) -> None:
    FeaturedAgent.objects.create(tenant=cast.tenant, agent=helper)

    [tool] = [tool for tool in door.listed(cast.ben.key) if tool["name"] == "agent_helper"]

    called = ["agent_call", "agent_helper"]
    assert door.names(cast.ben.key) == [*SESSION, *READS, *called, *WORKFLOWS, *TOOLS, "department_list"]
    assert list(tool["inputSchema"]["properties"]) == ["message", "threadId", "resourceId"]
    assert tool["inputSchema"]["required"] == ["message"]
    assert tool["title"] == "Helper"
    assert tool["annotations"]["readOnlyHint"] is False
    assert "agent_helper" not in door.names(cast.vic.key)


def test_a_featured_agent_of_another_department_is_not_shown(cast: Cast, door: Door, helper: Agent) -> None:
    helper.department = cast.support
    helper.save()
    FeaturedAgent.objects.create(tenant=cast.tenant, agent=helper)

    assert "agent_helper" not in door.names(cast.ben.key)
    assert "agent_helper" in door.names(cast.bea.key)
    assert door.call(cast.ben.key, "agent_helper", {"message": "hi"}).error["code"] == -32602


def test_a_per_object_name_that_is_taken_is_not_advertised_and_whoami_says_why(cast: Cast, door: Door) -> None:
    [agent] = make_agents(cast, 1)
    Agent.objects.filter(pk=agent.pk).update(slug="list")
    FeaturedAgent.objects.create(tenant=cast.tenant, agent=agent)

    assert door.names(cast.ben.key).count("agent_list") == 1
    assert door.call(cast.ben.key, "whoami").value["tools"]["notAdvertised"] == [
        {"name": "agent_list", "reason": "agent_list is the name of a tool of the platform."}
    ]


def test_a_long_id_is_cut_to_a_stable_name_that_reaches_the_exact_agent(cast: Cast, door: Door) -> None:
    [agent] = make_agents(cast, 1)
    slug = "get-cost-and-usage-comparisons-by-dimension-of-the-north"
    Agent.objects.filter(pk=agent.pk).update(slug=slug, model="offline/demo")
    FeaturedAgent.objects.create(tenant=cast.tenant, agent=agent)

    [name] = [name for name in door.names(cast.ben.key) if name.startswith("agent_get-")]

    assert len(name) == 44
    assert door.call(cast.ben.key, name, {"message": "hi"}).value["threadId"]


@pytest.mark.parametrize("query", ["?ReadOnly=1", "?readonly=1&readonly=0", "?readonly=maybe"])
def test_an_unclear_wish_to_read_only_never_widens(cast: Cast, door: Door, query: str) -> None:
    listed = door.ask(cast.ana.key, "tools/list", query=query).result["tools"]

    assert "agent_update" not in {tool["name"] for tool in listed}


def test_repeated_toolsets_add_up(cast: Cast, door: Door) -> None:
    listed = door.ask(cast.ana.key, "tools/list", query="?toolsets=agents&toolsets=departments").result["tools"]

    assert {"agent_list", "department_list"} <= {tool["name"] for tool in listed}
