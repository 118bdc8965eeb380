"""A warm tools/list: no query, no serialisation, and gone as soon as something changes."""

from agents.models import Agent
from gateway.models import FeaturedAgent, McpSettings
from gateway.surface import EVERYTHING, kept, surface
from ground.invalidation import listener
from identity.invalidation import rights_changed
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.conftest import make_agents
from tests.ground.test_invalidation import eventually
from tests.queries import counted_queries
from toolbox.rows import ensure_rows
from workflows.definitions import furnish


def test_a_warm_list_asks_the_database_nothing(cast: Cast, door: Door) -> None:
    key = cast.ben.key
    door.listed(key)
    eventually(lambda: listener.is_up)  # whatever was kept before that is in doubt
    cold = door.listed(key)

    with counted_queries() as queries:
        warm = door.listed(key)

    assert warm == cold
    assert queries == []


def test_equal_rights_share_the_same_bytes(cast: Cast) -> None:
    one, two = cast.ben.by_key(), cast.ben.by_key(cast.ben.issue(["*"]))

    assert surface(one).pages[0] is surface(two).pages[0]


def test_a_cold_surface_costs_few_queries(cast: Cast) -> None:
    make_agents(cast, 5)
    principal = cast.ana.by_key()
    ensure_rows(cast.tenant.id)
    furnish(cast.tenant.id)

    with counted_queries() as queries:
        surface(principal)

    assert len(queries) <= 9, queries


def test_a_changed_agent_shows_at_once(cast: Cast, door: Door, helper: Agent) -> None:
    before = door.names(cast.ben.key)
    featured = FeaturedAgent.objects.create(tenant=cast.tenant, agent=helper)
    shown = door.names(cast.ben.key)
    featured.delete()

    assert set(shown) - set(before) == {"agent_helper"}
    assert door.names(cast.ben.key) == before


def test_changed_settings_show_at_once(cast: Cast, door: Door) -> None:
    assert "agent_call" in door.names(cast.ben.key)

    McpSettings.objects.create(tenant=cast.tenant, read_only=True)

    assert "agent_call" not in door.names(cast.ben.key)


def test_a_change_of_one_tenant_keeps_the_surfaces_of_others(cast: Cast) -> None:
    ben, zoe = cast.ben.by_key(), cast.zoe.by_key()
    surface(ben)
    surface(zoe)

    rights_changed(cast.tenant.id)

    assert kept(ben, EVERYTHING) is None
    assert kept(zoe, EVERYTHING) is not None
