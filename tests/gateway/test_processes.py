"""Servers in processes of their own: both answer alike, and hear within a second of what changed elsewhere."""

import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection

from agents.models import Agent
from credentials.actions import revoke_key
from credentials.models import ApiKey
from gateway.models import FeaturedAgent
from identity.invalidation import rights_changed
from identity.models import Grant
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.serving import asgi, serving

SECOND = 1.0


def database_url() -> str:
    """Of the database that this session uses."""
    parts = urlsplit(settings.DATABASE_URL)
    return urlunsplit(parts._replace(path="/" + connection.settings_dict["NAME"]))


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def other(request: pytest.FixtureRequest, real_database: None) -> Iterator[Door]:
    """A server that shares nothing with this process but database, Valkey and secrets."""
    with serving(
        lambda port: asgi(request.param, "config.asgi:application", port),
        {"DATABASE_URL": database_url(), "DATA_DIR": str(settings.DATA_DIR)},
    ) as url:
        yield Door(url.removesuffix("/api/mcp"))


def within_a_second(fact: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not fact():
        assert time.monotonic() - began < SECOND, "not within a second"


def test_a_call_answers_alike(cast: Cast, door: Door, other: Door, helper: Agent) -> None:
    key = cast.ben.key

    assert other.listed(key) == door.listed(key)
    assert other.call(key, "agent_list").result == door.call(key, "agent_list").result


def test_a_revoked_key_is_refused(cast: Cast, other: Door) -> None:
    text = cast.ben.key
    assert other.ask(text, "tools/list").status == 200

    revoke_key(cast.ana.principal, ApiKey.objects.get(tenant=cast.tenant, owner=cast.ben.user))

    within_a_second(lambda: other.ask(text, "tools/list").status == 401)


def test_a_user_who_left_is_refused(cast: Cast, other: Door) -> None:
    assert other.ask(cast.ben.key, "tools/list").status == 200

    cast.ben.user.is_active = False
    cast.ben.user.save()
    rights_changed(cast.tenant.id)

    within_a_second(lambda: other.ask(cast.ben.key, "tools/list").status == 401)


def test_a_changed_role_changes_the_list(cast: Cast, other: Door) -> None:
    assert "agent_call" in other.names(cast.ben.key)

    cast.roles["member"].permissions = ["*:read", "mcp:execute"]
    cast.roles["member"].save()
    rights_changed(cast.tenant.id)

    within_a_second(lambda: "agent_call" not in other.names(cast.ben.key))


def test_a_grant_opens_one_agent(cast: Cast, other: Door, helper: Agent) -> None:
    assert "agent_call" not in other.names(cast.vic.key)

    Grant.objects.create(
        tenant=cast.tenant, user=cast.vic.user, permission="agents:execute", object_type="agent", object_id="helper"
    )
    rights_changed(cast.tenant.id)

    within_a_second(lambda: "agent_call" in other.names(cast.vic.key))
    [call] = [tool for tool in other.listed(cast.vic.key) if tool["name"] == "agent_call"]
    assert call["inputSchema"]["properties"]["agentId"]["enum"] == ["helper"]


def test_a_featured_agent_appears_and_goes(cast: Cast, other: Door, helper: Agent) -> None:
    assert "agent_helper" not in other.names(cast.ben.key)

    featured = FeaturedAgent.objects.create(tenant=cast.tenant, agent=helper)
    within_a_second(lambda: "agent_helper" in other.names(cast.ben.key))
    featured.delete()

    within_a_second(lambda: "agent_helper" not in other.names(cast.ben.key))
