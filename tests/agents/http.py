"""Requests of people over plain HTTP."""

import json
from typing import Any, NamedTuple

from django.conf import settings
from django.test import Client

from tests.cast import Person


class Answer(NamedTuple):
    """Status and JSON body."""

    status: int
    body: Any


def request(person: Person, method: str, path: str, body: Any = None) -> Answer:
    """Send it with the person's key; `path` is what follows the API prefix."""
    response = Client().generic(
        method,
        f"{settings.API_PREFIX}{path}",
        data="" if body is None else json.dumps(body),
        content_type="application/json",
        headers=person.headers,
    )
    return Answer(response.status_code, response.json())


def get(person: Person, path: str) -> Answer:
    """GET."""
    return request(person, "GET", path)


def patch(person: Person, path: str, body: Any) -> Answer:
    """PATCH."""
    return request(person, "PATCH", path, body)


def generate(person: Person, agent_id: str, **body: Any) -> Answer:
    """A turn with an agent."""
    return request(person, "POST", f"/agents/{agent_id}/generate", body)
