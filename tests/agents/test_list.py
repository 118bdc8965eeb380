"""GET /agents."""

from agents.actions import create_agent
from agents.answers import list_agents, visible_ids
from agents.models import PRIVATE, Agent
from tests.agents.grants import grant
from tests.agents.http import get
from tests.cast import Cast
from tests.queries import counted_queries


def _ids(cast: Cast, name: str) -> list[str]:
    return list(get(getattr(cast, name), "/agents").body)


def test_agents_are_keyed_by_id_and_carry_it(cast: Cast, helper: Agent) -> None:
    answer = get(cast.ben, "/agents")

    assert answer.status == 200
    assert list(answer.body) == ["helper"]
    shown = {
        "id": "helper",
        "name": "Helper",
        "description": "Helps with invoices.",
        "provider": "offline",
        "modelId": "demo",
        "supportsMemory": True,
        "source": "stored",
        "enabled": True,
        "tags": [],
        "departmentId": None,
        "visibility": "public",
    }
    assert answer.body["helper"].items() >= shown.items()


def test_agents_come_in_the_order_of_their_ids(cast: Cast) -> None:
    for slug in ("zeta", "alpha", "mid"):
        create_agent(cast.ana.principal, slug=slug, name=slug)

    assert _ids(cast, "ben") == ["alpha", "mid", "zeta"]


def test_the_list_is_one_query(cast: Cast, helper: Agent) -> None:
    principal = cast.ben.principal

    with counted_queries() as seen:
        list_agents(principal, partial=True)

    assert len(seen) == 1


def test_partial_leaves_out_the_schemas_of_tools(cast: Cast, helper: Agent) -> None:
    whole = get(cast.ben, "/agents").body["helper"]["tools"]["current_time"]
    partial = get(cast.ben, "/agents?partial=true").body["helper"]["tools"]["current_time"]

    assert whole["inputSchema"]["properties"]["timezone"]["type"] == "string"
    assert partial == {"id": "current_time", "description": whole["description"], "requireApproval": False}
    assert "inputSchema" in get(cast.ben, "/agents?partial=1").body["helper"]["tools"]["current_time"]


def test_query_keeps_agents_whose_id_or_name_contains_it_in_any_case(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="billing", name="Money")
    create_agent(cast.ana.principal, slug="other", name="The Billing Desk")
    create_agent(cast.ana.principal, slug="third", name="100%_sure")

    assert list(get(cast.ben, "/agents?query=BILL").body) == ["billing", "other"]
    assert list(get(cast.ben, "/agents?query=%25_").body) == ["third"]
    assert get(cast.ben, "/agents?query=nothing").body == {}


def test_an_unknown_query_key_is_refused_with_the_known_ones(cast: Cast) -> None:
    answer = get(cast.ben, "/agents?qery=x")

    assert answer.status == 400
    assert "did you mean query? Known keys: partial, query" in answer.body["issues"][0]["message"]


def test_an_agent_of_a_department_is_seen_by_its_members_and_by_owner_and_admin(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="seller", name="Seller", department=cast.sales)

    seen = {name: _ids(cast, name) for name in ("ana", "adam", "olga", "ben", "bea", "vic", "zoe")}

    assert seen == {
        "ana": ["seller"], "adam": ["seller"], "olga": ["seller"], "ben": ["seller"], "bea": [], "vic": [], "zoe": []
    }  # fmt: skip


def test_two_members_with_private_agents_never_share_a_listing(cast: Cast) -> None:
    create_agent(cast.ben.principal, slug="bens", name="Ben's", visibility=PRIVATE)
    create_agent(cast.bea.principal, slug="beas", name="Bea's", visibility=PRIVATE)

    assert _ids(cast, "ben") == ["bens"]
    assert _ids(cast, "bea") == ["beas"]
    assert _ids(cast, "adam") == []
    assert _ids(cast, "ana") == ["beas", "bens"]


def test_a_grant_shows_its_one_object(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="seller", name="Seller", department=cast.sales)
    create_agent(cast.ana.principal, slug="other", name="Other", department=cast.sales)
    grant(cast, "agents:read", "seller", user=cast.bea.user)

    assert list(list_agents(cast.bea.principal)) == ["seller"]


def test_instructions_are_for_those_who_may_read_stored_agents(cast: Cast, helper: Agent) -> None:
    cast.roles["viewer"].permissions = ["agents:read", "mcp:read", "mcp:execute"]
    cast.roles["viewer"].save()

    assert list_agents(cast.vic.principal)["helper"]["instructions"] is None
    assert list_agents(cast.ben.principal)["helper"]["instructions"] == helper.instructions


def test_a_grant_to_list_an_agent_does_not_show_its_instructions(cast: Cast) -> None:
    create_agent(cast.ben.principal, slug="bens", name="Ben's", visibility=PRIVATE, instructions="secret")
    create_agent(cast.ana.principal, slug="open", name="Open", instructions="plain")
    grant(cast, "agents:read", "bens", user=cast.bea.user)

    agents = list_agents(cast.bea.principal)

    assert {name: agent["instructions"] for name, agent in agents.items()} == {"bens": None, "open": "plain"}


def test_choices_are_what_the_permission_opens(cast: Cast, helper: Agent) -> None:
    create_agent(cast.ana.principal, slug="off", name="Off", enabled=False)
    grant(cast, "agents:execute", "helper", user=cast.vic.user)

    assert visible_ids(cast.ben.principal, "agents:read", limit=9) == ["helper", "off"]
    assert visible_ids(cast.ben.principal, "agents:execute", limit=9) == ["helper"]
    assert visible_ids(cast.ben.principal, "agents:write", limit=9) == []
    assert visible_ids(cast.vic.principal, "agents:execute", limit=9) == ["helper"]
    assert visible_ids(cast.ana.principal, "agents:write", limit=1) == ["helper"]
