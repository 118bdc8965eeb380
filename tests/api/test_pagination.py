"""Pages of lists."""

import pytest

from api.pagination import paged
from ground.errors import InvalidInput
from identity.models import Department
from tests.cast import Cast


def _page(cast: Cast, page: int, per_page: int) -> dict[str, object]:
    found = Department.objects.visible_to(cast.ana.principal)
    return paged("departments", found, ("name",), page, per_page, lambda row: row.slug)


def test_the_first_page_says_that_more_follows(cast: Cast) -> None:
    expected = {"departments": ["sales"], "total": 2, "page": 0, "perPage": 1, "hasMore": True}
    assert _page(cast, 0, 1) == expected


def test_a_page_behind_the_last_is_empty(cast: Cast) -> None:
    assert _page(cast, 2, 1) == {"departments": [], "total": 2, "page": 2, "perPage": 1, "hasMore": False}


def test_an_empty_page_size_is_refused(cast: Cast) -> None:
    with pytest.raises(InvalidInput):
        _page(cast, 0, 0)
