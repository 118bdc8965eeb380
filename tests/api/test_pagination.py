"""Pages of lists."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from api.pagination import PageQuery, paged
from ground.errors import InvalidInput
from identity.models import Department
from tests.cast import Cast


def page_of(cast: Cast, page: int, per_page: int, order: tuple[str, ...] = ("name",)) -> dict[str, Any]:
    found = Department.objects.visible_to(cast.ana.principal)
    return paged("departments", found, order, page, per_page, lambda row: row.slug)


def add(cast: Cast, count: int) -> None:
    """Departments of one name, so that only the tie-breaker orders them."""
    Department.objects.bulk_create(
        Department(tenant=cast.tenant, slug=f"d{number}", name="Same") for number in range(count)
    )


def test_the_first_page_says_that_more_follows(cast: Cast) -> None:
    expected = {"departments": ["sales"], "total": 2, "page": 0, "perPage": 1, "hasMore": True}
    assert page_of(cast, 0, 1) == expected


def test_the_last_page_says_that_none_follows(cast: Cast) -> None:
    expected = {"departments": ["support"], "total": 2, "page": 1, "perPage": 1, "hasMore": False}
    assert page_of(cast, 1, 1) == expected


def test_a_page_behind_the_last_is_empty(cast: Cast) -> None:
    assert page_of(cast, 2, 1) == {"departments": [], "total": 2, "page": 2, "perPage": 1, "hasMore": False}


def test_pages_of_equal_rows_neither_repeat_nor_miss_one(cast: Cast) -> None:
    add(cast, 20)

    pages = [page_of(cast, number, 3)["departments"] for number in range(8)]

    slugs = [slug for page in pages for slug in page]
    assert len(slugs) == 22
    assert set(slugs) == {"sales", "support", *(f"d{number}" for number in range(20))}


@pytest.mark.parametrize(
    ("page", "per_page", "field", "message"),
    [
        (0, 0, "perPage", "must be 1 to 1000"),
        (0, 1001, "perPage", "must be 1 to 1000"),
        (-1, 10, "page", "must be 0 to 1000000000"),
        (10**30, 10, "page", "must be 0 to 1000000000"),
    ],
)
def test_a_page_outside_the_bounds_is_refused(cast: Cast, page: int, per_page: int, field: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        page_of(cast, page, per_page)

    assert refused.value.issues == [{"field": field, "message": message}]


@pytest.mark.parametrize(
    ("query", "field"),
    [({"perPage": "0"}, "perPage"), ({"perPage": 1001}, "perPage"), ({"page": "-1"}, "page"), ({"page": "1e3"}, "page"),
     ({"page": 1.5}, "page"), ({"page": "0x10"}, "page"), ({"page": True}, "page"), ({"page": "9" * 2000}, "page")],
)  # fmt: skip
def test_a_query_with_an_impossible_page_is_refused(query: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        PageQuery.validated(query)

    assert [issue["field"] for issue in refused.value.issues] == [field]


def test_numbers_may_come_as_their_text() -> None:
    assert PageQuery.validated({"page": "0", "perPage": "10"}) == {"page": 0, "per_page": 10}
    assert PageQuery.validated({}) == {"page": 0, "per_page": 100}


@pytest.mark.parametrize(("page", "statements"), [(0, 2), (1, 1)])
def test_the_last_page_costs_no_count(cast: Cast, page: int, statements: int) -> None:
    principal = cast.ana.principal
    with CaptureQueriesContext(connection) as seen:
        paged("departments", Department.objects.visible_to(principal), ("name",), page, 1, str)

    assert len(seen) == statements


def test_more_than_ten_thousand_are_not_counted_out(cast: Cast) -> None:
    add(cast, 9_998)
    assert "totalExact" not in page_of(cast, 0, 1)
    assert page_of(cast, 0, 1)["total"] == 10_000

    Department.objects.create(tenant=cast.tenant, slug="one-more", name="Same")

    first, last = page_of(cast, 0, 1), page_of(cast, 10_000, 1)
    assert (first["total"], first["totalExact"], first["hasMore"]) == (10_000, False, True)
    assert (last["total"], last["totalExact"], last["hasMore"]) == (10_000, False, False)
