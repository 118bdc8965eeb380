"""What a router key saves."""

from credentials import known_tools
from credentials.actions import issue_key
from gateway.listing_cost import cost_of
from tests.cast import Cast


def test_a_router_key_costs_a_fraction_of_the_tokens(cast: Cast) -> None:
    key, _ = issue_key(cast.ana.principal, owner=cast.ana.user, name="router", allowlist=["*", "execute_tool"])

    cost = cost_of(key)

    assert cost is not None
    assert cost.tools == 16
    assert 200 < cost.routed < 1000
    assert cost.listed > cost.routed


def test_the_key_of_somebody_who_left_costs_nothing_to_count(cast: Cast) -> None:
    key, _ = issue_key(cast.ana.principal, owner=cast.ben.user, name="router", allowlist=["*", "execute_tool"])
    cast.ben.membership.is_active = False
    cast.ben.membership.save()

    assert cost_of(key) is None


def test_the_form_of_keys_asks_before_there_is_a_key(cast: Cast) -> None:
    key, _ = issue_key(cast.ana.principal, owner=cast.ben.user, name="router", allowlist=["agent_*", "execute_tool"])
    cost = cost_of(key)

    counts = known_tools.token_counts(cast.tenant.id, cast.ben.user.id, frozenset({"agent_*"}))

    assert cost is not None
    assert counts == (cost.routed, cost.listed)
