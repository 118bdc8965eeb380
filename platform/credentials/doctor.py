"""Checks of the keys: whether those that were issued can still be verified."""

from collections.abc import Iterator

from django.conf import settings
from django.db import Error
from django.db.models import Q
from django.utils import timezone
from psycopg_pool import PoolTimeout

from credentials.models import ApiKey
from launch.doctor import Check


def checks() -> Iterator[Check]:
    """One line: every key that opens something needs the pepper that it was stored with."""
    usable = ApiKey.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)
    try:
        count, peppers = usable.count(), set(usable.order_by().values_list("pepper_id", flat=True).distinct())
    except (Error, PoolTimeout):
        yield Check("API keys", False, "cannot be read without the database; mend that first")
        return
    if lost := sorted(peppers - set(settings.KEY_PEPPERS)):
        named = ", ".join(map(str, lost))
        yield Check("API keys", False, f"KEY_PEPPERS lacks number {named}; put it back, or issue those keys again")
    else:
        yield Check("API keys", True, f"{count} open something, and every pepper they need is there")
