"""GET /agents/:agentId."""

import pytest

from agents.actions import create_agent
from agents.models import PRIVATE, Agent
from tests.agents.grants import grant
from tests.agents.http import get
from tests.cast import Cast


def test_one_agent_has_the_shape_of_the_list(cast: Cast, helper: Agent) -> None:
    answer = get(cast.ben, "/agents/helper")

    assert answer.status == 200
    assert answer.body == get(cast.ben, "/agents").body["helper"]


def test_foreign_and_missing_answer_the_same(cast: Cast, helper: Agent) -> None:
    create_agent(cast.ben.principal, slug="bens", name="Ben's", visibility=PRIVATE)

    for person, agent_id in ((cast.zoe, "helper"), (cast.bea, "bens"), (cast.ben, "nope")):
        answer = get(person, f"/agents/{agent_id}")
        assert answer == (404, {"error": f"Agent with id {agent_id} not found"})


def test_a_grant_opens_one_agent_for_one_reader(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="seller", name="Seller", department=cast.sales)
    grant(cast, "agents:read", "seller", department=cast.support)

    assert get(cast.bea, "/agents/seller").status == 200
    assert get(cast.vic, "/agents/seller").status == 404


def test_a_missing_description_is_an_empty_text(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="plain", name="Plain", description=None)

    assert get(cast.ben, "/agents/plain").body["description"] == ""


def test_dates_are_utc_with_milliseconds(cast: Cast, helper: Agent) -> None:
    created = get(cast.ben, "/agents/helper").body["createdAt"]

    assert (len(created), created[-5], created[-1]) == (24, ".", "Z")


@pytest.mark.parametrize("key", ["status", "versionId", "colour"])
def test_versions_and_unknown_keys_are_refused_by_name(cast: Cast, helper: Agent, key: str) -> None:
    answer = get(cast.ben, f"/agents/helper?{key}=x")

    assert (answer.status, answer.body["error"]) == (400, "Invalid query parameters")
    assert answer.body["issues"][0]["field"] == key
