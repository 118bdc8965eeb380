"""What happens to receipts with time."""

from datetime import timedelta

from django.utils import timezone

from receipts import audit
from receipts.idempotency import Begun, begin
from receipts.models import AuditEntry, StoredAnswer
from receipts.tasks import forget_expired, forget_old_entries
from tests.receipts.conftest import People


def test_expired_answers_are_forgotten_and_others_kept(people: People) -> None:
    for key in ("old", "new"):
        answer = begin(people.ana, key, "post Rows", {})
        assert isinstance(answer, Begun)
        answer.finish(200, key)
    own = StoredAnswer.objects.filter(tenant_id=people.ana.tenant_id)
    own.filter(key="old").update(expires_at=timezone.now() - timedelta(seconds=1))

    assert forget_expired() >= 1

    assert list(own.values_list("key", flat=True)) == ["new"]


def test_audit_entries_older_than_so_many_days_are_forgotten(people: People) -> None:
    now, tenant_id = timezone.now(), people.ana.tenant_id
    for days in (4001, 3999):
        AuditEntry.objects.create(
            tenant_id=tenant_id, at=now - timedelta(days=days), door="http", operation="x", outcome="ok", status=days
        )
    audit.record(people.ana, door="http", operation="x", outcome="ok", status=200)

    assert forget_old_entries(4000) >= 1

    kept = AuditEntry.objects.filter(tenant_id=tenant_id).order_by("at").values_list("status", flat=True)
    assert list(kept) == [3999, 200]
