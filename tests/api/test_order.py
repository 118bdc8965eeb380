"""Who asks comes before what is asked: 401, then 403, then the body's faults."""

from typing import Any

import pytest
from django.test import Client

from agents.actions import create_agent
from receipts.models import AuditEntry
from tests.cast import Cast

BROKEN = ["{", "[" * 100_000, '{"name": NaN}', '{"name": "a", "name": "b"}', '{"dry_run": "perhaps"}', '{"name": 5}']


def patch(body: str, headers: dict[str, str], content_type: str = "application/json") -> tuple[int, Any]:
    answer = Client().generic("PATCH", "/api/agents/helper", body, content_type=content_type, headers=headers)
    return answer.status_code, answer.json()


@pytest.mark.parametrize("body", BROKEN)
def test_without_a_credential_the_body_is_not_read(body: str) -> None:
    assert patch(body, {}) == (401, {"error": "Invalid or expired credential"})


@pytest.mark.parametrize("body", BROKEN)
def test_without_the_permission_the_body_is_not_read(cast: Cast, body: str) -> None:
    refused = {"error": "Forbidden", "message": "Missing required permission: agents:write"}
    assert patch(body, cast.vic.headers) == (403, refused)

    [entry] = AuditEntry.objects.filter(tenant_id=cast.tenant.id, operation="patch Agent")
    assert (entry.outcome, entry.status, entry.object_type, entry.object_id) == ("refused", 403, "agent", "helper")


def test_an_object_is_looked_for_after_the_body_was_read(cast: Cast) -> None:
    assert patch('{"name": 5}', cast.ana.headers)[0] == 400
    assert patch('{"name": "New"}', cast.ana.headers)[0] == 404


def test_a_body_of_another_kind_is_refused(cast: Cast) -> None:
    create_agent(cast.ana.principal, slug="helper", name="Helper")

    assert patch("name=New", cast.ana.headers, "application/x-www-form-urlencoded")[0] == 415


@pytest.mark.parametrize("address", ["/api/whoami?colour=red", "/api/departments?colour=red"])
def test_an_unknown_parameter_is_refused_whether_or_not_there_are_known_ones(cast: Cast, address: str) -> None:
    answer = Client().get(address, headers=cast.ana.headers)

    assert (answer.status_code, answer.json()["error"]) == (400, "Invalid query parameters")
    assert answer.json()["issues"][0]["field"] == "colour"
    assert answer.json()["issues"][0]["message"].startswith("unknown key")
