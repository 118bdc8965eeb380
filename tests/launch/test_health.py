"""`GET /health`."""

from django.test import Client


def test_a_living_process_says_so(client: Client) -> None:
    answer = client.get("/health")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_nothing_can_be_written(client: Client) -> None:
    assert client.post("/health").status_code == 405
