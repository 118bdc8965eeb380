"""A run told as server-sent events, by real servers."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.servers import atrium
from tests.workflows.client import Runs


@pytest.fixture(scope="module", params=["daphne", "uvicorn"])
def door(request: pytest.FixtureRequest) -> Iterator[Door]:
    """A running server."""
    with atrium(request.param, WORKFLOW_MODULES="tests.workflows.flows") as found:
        yield found


def heard(door: Door, key: str, path: str, *, begun: Any = None, **headers: str) -> list[tuple[str, Any]]:
    """Every event until the stream ends; `begun` is called after the first."""
    found: list[tuple[str, Any]] = []
    sent = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream", **headers}
    with (
        httpx2.Client(trust_env=False, timeout=30) as http,
        http.stream("GET", f"{door.base}/api/workflows{path}/stream", headers=sent) as answer,
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream")
        name = ""
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                found.append((name, json.loads(line.removeprefix("data: "))))
                if begun is not None and len(found) == 1:
                    threading.Thread(target=begun).start()
    return found


def test_a_run_is_told_from_where_it_stands_to_its_end(door: Door, cast: Cast, ben: Runs) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")

    def resume() -> None:
        url = f"{door.base}/api/workflows/t-suspend/resume-async?runId=s1"
        httpx2.post(url, json={"resumeData": {"ok": True}}, headers=cast.ben.headers, trust_env=False)

    events = heard(door, cast.ben.key, "/t-suspend/runs/s1", begun=resume)

    assert events[0] == ("status", {"runId": "s1", "status": "suspended"})
    told = [(name, event.get("stepId"), event["status"]) for name, event in events[1:]]
    assert told == [
        ("workflow.run.started", None, "running"),
        ("workflow.step.started", "approve", "resumed"),
        ("workflow.step.finished", "approve", "success"),
        ("workflow.run.finished", None, "success"),
    ]


def test_a_finished_run_says_so_and_ends(door: Door, cast: Cast, ben: Runs) -> None:
    ben.start("t-ok", {"n": 1}, run_id="f1")

    assert heard(door, cast.ben.key, "/t-ok/runs/f1") == [("status", {"runId": "f1", "status": "success"})]


@pytest.mark.parametrize("person", ["bea", "zoe"])
def test_others_hear_nothing(door: Door, cast: Cast, ben: Runs, person: str) -> None:
    ben.start("t-suspend", {"n": 1}, run_id="s1")
    headers = {**getattr(cast, person).headers, "Accept": "text/event-stream"}

    answer = httpx2.get(f"{door.base}/api/workflows/t-suspend/runs/s1/stream", headers=headers, trust_env=False)

    assert (answer.status_code, answer.json()) == (404, {"error": "Workflow run not found"})
    assert answer.headers["content-type"] == "application/json"
