"""What happens to receipts with time."""

from celery import shared_task
from django.utils import timezone

from receipts import refusals, retention
from receipts.models import StoredAnswer


@shared_task
def forget_expired() -> int:
    """Delete stored answers whose time is over; returns how many."""
    return StoredAnswer.objects.filter(expires_at__lte=timezone.now()).delete()[0]


@shared_task
def write_down_refusals() -> int:
    """Make audit entries of the refusals counted in the minutes that have passed; returns how many."""
    return refusals.write_down()


@shared_task
def forget_old_entries(days: int) -> int:
    """Delete audit entries older than `days`; returns how many."""
    return retention.forget_entries_older_than(days)
