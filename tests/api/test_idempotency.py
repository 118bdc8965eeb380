"""An idempotency key over HTTP: the same call gets the first answer again, and nothing happens twice."""

from typing import Any

import pytest
from django.test import Client

from agents.models import Agent
from conversations.models import Message
from tests.cast import Cast, Person


@pytest.fixture
def agent(cast: Cast) -> Agent:
    """An agent that keeps conversations."""
    return Agent.objects.create(
        tenant=cast.tenant, slug="helper", name="Helper", instructions="Answer.", model="offline/demo"
    )


def say(person: Person, key: str, **body: Any) -> Any:
    headers = {**person.headers, "Idempotency-Key": key}
    url = "/api/agents/helper/generate"
    return Client().post(url, body, content_type="application/json", headers=headers)


def test_the_same_turn_is_answered_once(cast: Cast, agent: Agent) -> None:
    first = say(cast.ben, "turn-1", messages="Hello", threadId="talk")
    again = say(cast.ben, "turn-1", messages="Hello", threadId="talk")

    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json() == first.json()
    assert Message.objects.filter(tenant=cast.tenant).count() == 2


def test_other_arguments_under_the_same_key_are_refused(cast: Cast, agent: Agent) -> None:
    say(cast.ben, "turn-1", messages="Hello")

    assert say(cast.ben, "turn-1", messages="Good bye").status_code == 422


def test_somebody_elses_equal_key_is_another_one(cast: Cast, agent: Agent) -> None:
    mine = say(cast.ben, "turn-1", messages="Hello", threadId="talk").json()
    hers = say(cast.bea, "turn-1", messages="Hello", threadId="talk").json()

    assert hers["runId"] != mine["runId"]
