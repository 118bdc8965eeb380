"""`GET /ready`."""

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from ground import valkey
from launch import pulse, state


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    """Without the answer of the test before, and without a pulse left behind."""
    state.forget()
    yield
    valkey.client().delete(pulse.KEY)
    state.forget()


def test_with_a_workers_pulse_all_is_ready(client: Client) -> None:
    pulse.beat()

    answer = client.get("/ready")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "database": "ok", "broker": "ok", "worker": "ok"}


def test_a_pulse_ends_within_ten_seconds() -> None:
    pulse.beat()

    assert 0 < valkey.client().ttl(pulse.KEY) <= 10


def test_without_a_worker_it_says_which_part_is_away(client: Client) -> None:
    answer = client.get("/ready")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.json() == {
        "status": "not ready", "database": "ok", "broker": "ok", "worker": "away",
        "error": "Not ready: worker away; try again in 5 s.",
    }  # fmt: skip


def test_without_valkey_the_database_still_answers(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = settings.CELERY_BROKER_URL = "redis://:secret@127.0.0.1:1/0"

    answer = client.get("/ready")

    assert answer.status_code == 503
    assert answer.json()["error"] == "Not ready: broker, worker away; try again in 5 s."
    assert b"secret" not in answer.content
