"""Runs over HTTP, as a caller sees them."""

import json
from typing import Any

from django.conf import settings
from django.test import Client

from tests.cast import Person

TIMES = frozenset({"startedAt", "endedAt", "suspendedAt", "resumedAt", "wakeAt", "createdAt", "updatedAt"})


class Runs:
    """The workflow routes for one person, whose key may be used a thousand times a minute."""

    def __init__(self, person: Person) -> None:
        key = person.issue(["*"], calls_per_minute=100_000, burst=10_000, concurrent_calls=1000)
        self.headers = {"Authorization": f"Bearer {key}"}
        self.person = person
        self.client = Client()  # making one reads every static file

    def request(self, method: str, path: str, body: Any = None, *, status: int = 200, **headers: str) -> Any:
        """The JSON answer below /workflows."""
        response = self.client.generic(
            method,
            f"{settings.API_PREFIX}/workflows{path}",
            data="" if body is None else json.dumps(body),
            content_type="application/json",
            headers={**self.headers, **headers},
        )
        answer = response.json()
        assert response.status_code == status, answer
        return answer

    def start(self, workflow_id: str, given: Any = None, *, run_id: str = "", status: int = 200, **body: Any) -> Any:
        """Start a run."""
        query = f"?runId={run_id}" if run_id else ""
        sent = {"inputData": given, **body}
        return self.request("POST", f"/{workflow_id}/start-async{query}", sent, status=status)

    def resume(self, workflow_id: str, run_id: str, data: Any = None, *, status: int = 200, **body: Any) -> Any:
        """Resume a run."""
        sent = {"resumeData": data, **body}
        return self.request("POST", f"/{workflow_id}/resume-async?runId={run_id}", sent, status=status)

    def cancel(self, workflow_id: str, run_id: str, *, status: int = 200) -> Any:
        """Cancel a run."""
        return self.request("POST", f"/{workflow_id}/runs/{run_id}/cancel", status=status)

    def get(self, path: str, *, status: int = 200) -> Any:
        """Read below /workflows."""
        return self.request("GET", path, status=status)

    def request_status(self, workflow_id: str, run_id: str) -> str | None:
        """Where a run stands; None while there is none."""
        path = f"{settings.API_PREFIX}/workflows/{workflow_id}/runs/{run_id}?fields=payload"
        found: str | None = self.client.get(path, headers=self.headers).json().get("status")
        return found

    def run(self, workflow_id: str, run_id: str, query: str = "", *, status: int = 200) -> Any:
        """Read a run."""
        return self.get(f"/{workflow_id}/runs/{run_id}{query}", status=status)


def timeless(value: Any) -> Any:
    """The answer without moments, which no two runs share."""
    if isinstance(value, dict):
        return {name: timeless(inner) for name, inner in value.items() if name not in TIMES}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def outputs(body: Any) -> dict[str, Any]:
    """Step id → output of those that have one."""
    return {name: step["output"] for name, step in body["steps"].items() if name != "input" and "output" in step}
