"""Keys on plain HTTP routes: a key opens what a tool on its allowlist wraps; refusals are written down."""

from django.test import Client

from receipts.models import AuditEntry
from tests.cast import Cast


def ask(key: str, path: str, method: str = "get", **body: object) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return int(getattr(Client(), method)(path, body, content_type="application/json", headers=headers).status_code)


def test_a_key_opens_the_routes_of_its_tools_and_no_others(cast: Cast) -> None:
    key = cast.ana.issue(["department_list"])

    assert ask(key, "/api/departments") == 200
    assert ask(key, "/api/agents") == 403


def test_an_alias_opens_the_route_too(cast: Cast) -> None:
    assert ask(cast.ana.issue(["list_departments"]), "/api/departments") == 200


def test_an_empty_allowlist_opens_the_session_routes_alone(cast: Cast) -> None:
    key = cast.ana.issue([])

    assert ask(key, "/api/whoami") == 200
    assert ask(key, "/api/departments") == 403


def test_a_read_only_key_changes_nothing_and_the_attempt_is_written_down(cast: Cast) -> None:
    key = cast.ana.issue(["*"], read_only=True)

    assert ask(key, "/api/agents") == 200
    assert ask(key, "/api/agents/any", "patch", name="New") == 403

    written = AuditEntry.objects.filter(tenant_id=cast.tenant.pk, door="http", outcome="refused")
    assert [(entry.operation, entry.status) for entry in written] == [("patch Agent", 403)]


def test_a_router_key_opens_its_targets(cast: Cast) -> None:
    key = cast.ana.issue(["department_list", "execute_tool"])

    assert ask(key, "/api/departments") == 200
    assert ask(key, "/api/agents") == 403


def test_a_credential_in_the_address_is_refused(cast: Cast) -> None:
    assert Client().get("/api/departments", {"apiKey": cast.ana.key}).status_code == 401
