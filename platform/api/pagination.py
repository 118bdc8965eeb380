"""Pages of a list: zero-based, in a stable order, counted exactly up to a bound."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from api.serializers import CamelSerializer, Flag, Whole
from ground.errors import InvalidInput

EXACT_UP_TO = 10_000
LAST_PAGE = 10**9  # beyond it there is nothing to count to


class PageQuery(CamelSerializer):
    """Which page of a list; a route with another size declares `per_page` again."""

    page = Whole(required=False, min_value=0, max_value=LAST_PAGE, default=0, help_text="Zero-based page.")
    per_page = Whole(
        required=False,
        min_value=1,
        max_value=settings.LIMIT_PAGE_SIZE,
        default=min(100, settings.LIMIT_PAGE_SIZE),
        help_text="Entries of a page.",
    )


class PageAnswer(CamelSerializer):
    """What every page says beside its entries."""

    total = Whole(help_text="How many there are for this caller.")
    total_exact = Flag(required=False, help_text="Only there, and false, when there are more than total says.")
    page = Whole(help_text="The zero-based page.")
    per_page = Whole(help_text="Entries of a page.")
    has_more = Flag(help_text="Whether another page follows.")


def paged(
    plural: str, found: QuerySet[Any], order: tuple[str, ...], page: int, per_page: int, show: Callable[[Any], Any]
) -> dict[str, Any]:
    """The page as callers see it; the primary key breaks ties. Beyond the bound `totalExact` is false.

    Two statements, or one when the page itself shows where the list ends.
    """
    _check("page", page, 0, LAST_PAGE)
    _check("perPage", per_page, 1, settings.LIMIT_PAGE_SIZE)
    start = page * per_page
    rows = list(found.order_by(*order, "pk")[start : start + per_page + 1])
    ends_here = len(rows) <= per_page and (rows or page == 0)
    total = start + len(rows) if ends_here else found.order_by()[: EXACT_UP_TO + 1].count()
    answer = {
        plural: [show(row) for row in rows[:per_page]],
        "total": min(total, EXACT_UP_TO),
        "page": page,
        "perPage": per_page,
        "hasMore": len(rows) > per_page,
    }
    return answer if total <= EXACT_UP_TO else answer | {"totalExact": False}


def _check(field: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidInput("Invalid query parameters", [{"field": field, "message": f"must be {least} to {most}"}])
