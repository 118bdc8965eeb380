"""Two servers in processes of their own: both answer alike, and hear within a second of what changed elsewhere."""

import time
from collections.abc import Callable, Iterator

import pytest

from agents.models import Agent
from credentials.actions import revoke_key
from credentials.models import ApiKey
from gateway.models import FeaturedAgent
from identity.invalidation import rights_changed
from identity.models import Grant
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.servers import atrium

SECOND = 1.0
Fact = Callable[[Door], bool]


@pytest.fixture(scope="module")
def others(real_database: None) -> Iterator[tuple[Door, Door]]:
    """Servers that share nothing with this process but database, Valkey and secrets."""
    with atrium("daphne") as first, atrium("uvicorn") as second:
        yield first, second


def on_both(others: tuple[Door, Door], fact: Fact) -> bool:
    """Whether it holds on each of them."""
    return all(fact(door) for door in others)


def within_a_second(others: tuple[Door, Door], fact: Fact) -> None:
    """Ask both until it holds on both."""
    began = time.monotonic()
    while not on_both(others, fact):
        assert time.monotonic() - began < SECOND, "not within a second"


def test_a_call_answers_alike(cast: Cast, door: Door, others: tuple[Door, Door], helper: Agent) -> None:
    key = cast.ben.key
    listed, called = door.listed(key), door.call(key, "agent_list").result

    assert on_both(others, lambda other: other.listed(key) == listed)
    assert on_both(others, lambda other: other.call(key, "agent_list").result == called)


def test_a_revoked_key_is_refused(cast: Cast, others: tuple[Door, Door]) -> None:
    text = cast.ben.key
    assert on_both(others, lambda other: other.ask(text, "tools/list").status == 200)

    revoke_key(cast.ana.principal, ApiKey.objects.get(tenant=cast.tenant, owner=cast.ben.user))

    within_a_second(others, lambda other: other.ask(text, "tools/list").status == 401)


def test_a_user_who_left_is_refused(cast: Cast, others: tuple[Door, Door]) -> None:
    text = cast.ben.key
    assert on_both(others, lambda other: other.ask(text, "tools/list").status == 200)

    cast.ben.user.is_active = False
    cast.ben.user.save()
    rights_changed(cast.tenant.id)

    within_a_second(others, lambda other: other.ask(text, "tools/list").status == 401)


def test_a_changed_role_changes_the_list(cast: Cast, others: tuple[Door, Door]) -> None:
    assert on_both(others, lambda other: "agent_call" in other.names(cast.ben.key))

    cast.roles["member"].permissions = ["*:read", "mcp:execute"]
    cast.roles["member"].save()
    rights_changed(cast.tenant.id)

    within_a_second(others, lambda other: "agent_call" not in other.names(cast.ben.key))


def test_a_grant_opens_one_agent_and_closes_it(cast: Cast, others: tuple[Door, Door], helper: Agent) -> None:
    assert on_both(others, lambda other: "agent_call" not in other.names(cast.vic.key))

    grant = Grant.objects.create(
        tenant=cast.tenant, user=cast.vic.user, permission="agents:execute", object_type="agent", object_id="helper"
    )
    rights_changed(cast.tenant.id)

    within_a_second(others, lambda other: "agent_call" in other.names(cast.vic.key))
    for other in others:
        [call] = [tool for tool in other.listed(cast.vic.key) if tool["name"] == "agent_call"]
        assert call["inputSchema"]["properties"]["agentId"]["enum"] == ["helper"]

    grant.delete()
    rights_changed(cast.tenant.id)

    within_a_second(others, lambda other: "agent_call" not in other.names(cast.vic.key))


def test_a_featured_agent_appears_and_goes(cast: Cast, others: tuple[Door, Door], helper: Agent) -> None:
    assert on_both(others, lambda other: "agent_helper" not in other.names(cast.ben.key))

    featured = FeaturedAgent.objects.create(tenant=cast.tenant, agent=helper)
    within_a_second(others, lambda other: "agent_helper" in other.names(cast.ben.key))
    featured.delete()

    within_a_second(others, lambda other: "agent_helper" not in other.names(cast.ben.key))
