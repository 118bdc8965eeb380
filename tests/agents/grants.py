"""Grants of the cast."""

from typing import Any

from identity.invalidation import rights_changed
from identity.models import Grant
from tests.cast import Cast


def grant(cast: Cast, permission: str, object_id: str, *, object_type: str = "agent", **subject: Any) -> None:
    """Give the subject (user, role or department) a right for one object; felt at once."""
    Grant.objects.create(
        tenant=cast.tenant, permission=permission, object_type=object_type, object_id=object_id, **subject
    )
    rights_changed(cast.tenant.id)
