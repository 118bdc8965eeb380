"""The audit in the admin is there to read, for superusers too, and every change of staff stands in it."""

from typing import Any

import pytest
from django.test import Client

from identity.models import Department
from receipts import audit
from receipts.models import AuditEntry
from tests.admin.browser import list_of, page_of, signed_in, superuser
from tests.cast import Cast


def _browser(cast: Cast, who: str) -> Client:
    return signed_in(cast.ana) if who == "owner" else superuser(cast.tenant.slug)


def _entry(cast: Cast) -> AuditEntry:
    audit.record(cast.ben.principal, door="http", operation="test", outcome="ok", status=200)
    return AuditEntry.objects.get(tenant_id=cast.tenant.pk, operation="test")


@pytest.mark.parametrize("who", ["owner", "superuser"])
def test_an_entry_is_read_and_never_written(cast: Cast, who: str) -> None:
    entry = _entry(cast)
    client = _browser(cast, who)

    assert client.get(page_of(entry)).status_code == 200
    assert client.post(page_of(entry), {"operation": "forged"}).status_code == 403
    assert client.post(page_of(entry, "delete"), {"post": "yes"}).status_code == 403
    assert client.get(list_of(AuditEntry, "add")).status_code == 403
    client.post(list_of(AuditEntry), {"action": "delete_selected", "_selected_action": [str(entry.pk)], "post": "yes"})
    assert AuditEntry.objects.get(pk=entry.pk).operation == "test"


def test_a_change_by_staff_stands_in_the_audit(cast: Cast) -> None:
    sent: dict[str, Any] = {"name": "Legal", "slug": "legal", "parent": ""}

    signed_in(cast.ana).post(list_of(Department, "add"), sent)

    department = Department.objects.get(tenant=cast.tenant, slug="legal")
    entry = AuditEntry.objects.get(tenant_id=cast.tenant.pk, operation="save department")
    assert (entry.door, entry.outcome, entry.object_id) == ("admin", "ok", str(department.pk))
    assert entry.user_id == cast.ana.user.pk
