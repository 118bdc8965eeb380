"""Pages of a list: zero-based, in a stable order, counted exactly up to a bound."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

from ground.errors import InvalidInput

EXACT_UP_TO = 10_000


def paged(
    plural: str, found: QuerySet[Any], order: tuple[str, ...], page: int, per_page: int, show: Callable[[Any], Any]
) -> dict[str, Any]:
    """The page as callers see it; the primary key breaks ties. Beyond the bound `totalExact` is false."""
    if page < 0 or per_page < 1:
        field, least = ("page", 0) if page < 0 else ("perPage", 1)
        raise InvalidInput("Invalid query parameters", [{"field": field, "message": f"must be at least {least}"}])
    total = found.order_by()[: EXACT_UP_TO + 1].count()
    start = page * per_page
    rows = list(found.order_by(*order, "pk")[start : start + per_page + 1])
    answer = {
        plural: [show(row) for row in rows[:per_page]],
        "total": min(total, EXACT_UP_TO),
        "page": page,
        "perPage": per_page,
        "hasMore": len(rows) > per_page,
    }
    return answer if total <= EXACT_UP_TO else answer | {"totalExact": False}
