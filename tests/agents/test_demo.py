"""The demo's agents."""

from uuid import uuid4

import pytest

from agents import demo
from agents.answers import list_agents
from agents.models import Agent
from identity.permissions import MEMBER, OWNER
from launch.addresses import addresses
from launch.demo import DemoContext
from tests.cast import Cast


@pytest.fixture
def context(cast: Cast) -> DemoContext:
    """What the apps before this one leave behind, with the cast as its people."""
    made = {
        "tenant": cast.tenant,
        "other_tenant": cast.other_tenant,
        "departments": {"sales": cast.sales, "support": cast.support},
        "people": {OWNER: cast.ana.user, MEMBER: cast.ben.user},
        "other_people": {OWNER: cast.zoe.user},
    }
    return DemoContext(addresses(), facts={"other": {"tenant": "kept"}}, made=made)


def test_six_agents_are_made_and_the_first_ones_named(cast: Cast, context: DemoContext) -> None:
    demo.make(context)

    assert list(list_agents(cast.ana.principal)) == [
        "concierge", "invoice-clerk", "negotiation-notes", "quote-writer", "stock-planner", "support-triage"
    ]  # fmt: skip
    assert list(list_agents(cast.zoe.principal)) == ["trail-guide"]
    assert context.facts == {
        "agents": {"public": "concierge", "private": "negotiation-notes", "featured": "invoice-clerk"},
        "other": {"tenant": "kept", "agents": {"public": "trail-guide"}},
    }


def test_the_private_one_is_bens(cast: Cast, context: DemoContext) -> None:
    demo.make(context)

    assert "negotiation-notes" in list_agents(cast.ben.principal)
    assert "negotiation-notes" not in list_agents(cast.adam.principal)


def test_a_second_run_takes_over_what_is_there(cast: Cast, context: DemoContext) -> None:
    demo.make(context)
    Agent.objects.filter(tenant=cast.tenant, slug="concierge").update(name=(name := f"Renamed {uuid4().hex}"))

    demo.make(context)

    assert Agent.objects.filter(tenant=cast.tenant).count() == 6
    assert Agent.objects.get(tenant=cast.tenant, slug="concierge").name == name


def test_every_demo_agent_is_valid(cast: Cast, context: DemoContext) -> None:
    demo.make(context)

    for agent in Agent.objects.filter(tenant__in=[cast.tenant, cast.other_tenant]):
        agent.full_clean()
