"""The only way out for audit entries: those older than so many days, in the one transaction that may delete."""

from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from receipts.models import AuditEntry

BATCH = 5_000


def forget_entries_older_than(days: int) -> int:
    """Delete the entries older than `days`, in batches; returns how many there were."""
    before = timezone.now() - timedelta(days=days)
    forgotten = 0
    while batch := _forget_batch(before.isoformat()):
        forgotten += batch
    return forgotten


def _forget_batch(before: str) -> int:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL atrium.audit_retention = 'on'")
        oldest = AuditEntry.objects.filter(at__lt=before).order_by("at", "id").values("pk")[:BATCH]
        return AuditEntry.objects.filter(pk__in=oldest).delete()[0]
