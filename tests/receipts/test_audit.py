"""Audit entries: what they tell, who sees them, and that they stay as they are."""

import logging
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from identity.models import Tenant
from identity.principal import Principal
from receipts import audit
from receipts.models import AuditEntry
from tests.receipts.conftest import People


def record(principal: Principal | None, **facts: Any) -> None:
    """An entry with what a test does not care about filled in."""
    filled: dict[str, Any] = {"door": "mcp", "operation": "patch Agent", "outcome": "ok", "status": 200}
    audit.record(principal, **filled | facts)


def entry_of(principal: Principal) -> AuditEntry:
    """The only entry of the principal's tenant."""
    return AuditEntry.objects.get(tenant_id=principal.tenant_id)


def test_an_entry_tells_who_did_what_and_how_it_ended(people: People) -> None:
    began = timezone.now()

    record(
        people.ben,
        tool="agent_update",
        object_type="agent",
        object_id="support-bot",
        changed=["name", "instructions"],
        duration_ms=12.34567,
        request_id="r-1",
        trace_id="t-1",
        dry_run=True,
    )

    entry = entry_of(people.ben)
    assert timedelta(0) <= entry.at - began < timedelta(seconds=5)
    assert (entry.user_id, entry.credential_kind) == (people.ben.user_id, "api_key")
    assert (entry.credential_id, entry.credential_label) == (people.ben.credential.id, "key of the member")
    assert (entry.door, entry.operation, entry.tool) == ("mcp", "patch Agent", "agent_update")
    assert (entry.object_type, entry.object_id, entry.changed) == ("agent", "support-bot", ["name", "instructions"])
    assert (entry.outcome, entry.status, entry.duration_ms) == ("ok", 200, 12.346)
    assert (entry.request_id, entry.trace_id, entry.dry_run, entry.attempts) == ("r-1", "t-1", True, 1)


def test_an_entry_costs_one_statement(people: People) -> None:
    with CaptureQueriesContext(connection) as statements:
        record(people.ana)

    assert [statement["sql"].split()[:2] for statement in statements] == [["INSERT", "INTO"]]


def test_an_entry_without_a_principal_keeps_the_tenant_that_is_known(people: People) -> None:
    record(None, tenant_id=people.ana.tenant_id, door="task")

    entry = entry_of(people.ana)
    assert (entry.user_id, entry.credential_id, entry.door) == (None, "", "task")


def test_secrets_and_characters_that_no_column_takes_are_left_out(people: People) -> None:
    secret = "mcpk_0123456789ab_" + "S" * 49

    record(people.ana, object_id=f"x\x00y\ud800{secret}", tool="t" * 500)

    entry = entry_of(people.ana)
    assert entry.object_id == "xy?mcpk_0123456789ab_[redacted]"
    assert entry.tool == "t" * 200


UPDATE = "UPDATE receipts_auditentry SET status = 1 WHERE tenant_id = %s"
DELETE = "DELETE FROM receipts_auditentry WHERE tenant_id = %s"
TRUNCATE = "TRUNCATE receipts_auditentry -- %s"
AS_RETENTION = "SET LOCAL atrium.audit_retention = 'on'; "


@pytest.mark.parametrize("statement", [UPDATE, DELETE, TRUNCATE, AS_RETENTION + UPDATE, AS_RETENTION + TRUNCATE])
def test_the_database_refuses_to_change_or_delete_an_entry(people: People, statement: str) -> None:
    record(people.ana)

    with (
        pytest.raises(IntegrityError, match=r"Audit entries are never changed or deleted\."),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, [str(people.ana.tenant_id)])

    assert entry_of(people.ana).status == 200


def test_entries_outlive_their_tenant(people: People) -> None:
    record(people.zoe)

    Tenant.objects.get(id=people.zoe.tenant_id).delete()

    assert entry_of(people.zoe).credential_label == "key of the owner"


def test_entries_are_seen_by_the_administrators_of_the_own_tenant_alone(people: People) -> None:
    record(people.ana)
    record(people.zoe)

    seen = {name: AuditEntry.objects.visible_to(getattr(people, name)).count() for name in ("ana", "ben", "zoe")}

    assert seen == {"ana": 1, "ben": 0, "zoe": 1}


def test_an_entry_that_cannot_be_written_goes_to_the_log_and_spoils_nothing(
    people: People, caplog: pytest.LogCaptureFixture
) -> None:
    name = f"later-{uuid4().hex}"

    with caplog.at_level(logging.CRITICAL), transaction.atomic():
        record(people.ana, status=1_000_000, object_id="support-bot")
        Tenant.objects.create(slug=name[:40], name=name)

    assert Tenant.objects.filter(name=name).exists()
    assert not AuditEntry.objects.filter(tenant_id=people.ana.tenant_id).exists()
    assert "An audit entry could not be written" in caplog.text
    assert "'object_id': 'support-bot'" in caplog.text
