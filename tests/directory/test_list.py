"""GET /departments and department_list."""

from tests.agents.http import get
from tests.cast import Cast
from tests.gateway.clients import Door
from tests.gateway.conftest import door  # noqa: F401  (a fixture)


def _names(body: dict[str, object]) -> list[str]:
    departments = body["departments"]
    assert isinstance(departments, list)
    return [row["name"] for row in departments]


def test_departments_come_by_name_with_their_parents(cast: Cast) -> None:
    cast.support.parent = cast.sales
    cast.support.save()

    answer = get(cast.ben, "/departments")

    assert answer.status == 200
    assert answer.body == {
        "departments": [
            {"id": str(cast.sales.id), "slug": "sales", "name": "Sales", "parentId": None},
            {"id": str(cast.support.id), "slug": "support", "name": "Support", "parentId": str(cast.sales.id)},
        ],
        "total": 2, "page": 0, "perPage": answer.body["perPage"], "hasMore": False,
    }  # fmt: skip


def test_pages_follow_each_other(cast: Cast) -> None:
    first = get(cast.ana, "/departments?page=0&perPage=1").body
    second = get(cast.ana, "/departments?page=1&perPage=1").body

    assert (_names(first), first["total"], first["hasMore"]) == (["Sales"], 2, True)
    assert (_names(second), second["total"], second["hasMore"]) == (["Support"], 2, False)


def test_a_query_looks_into_names_and_slugs(cast: Cast) -> None:
    assert _names(get(cast.ana, "/departments?query=SUPP").body) == ["Support"]
    assert _names(get(cast.ana, "/departments?query=nothing").body) == []


def test_another_tenant_s_departments_are_not_there(cast: Cast) -> None:
    assert get(cast.zoe, "/departments").body["total"] == 0


def test_the_tool_answers_like_the_route(cast: Cast, door: Door) -> None:  # noqa: F811  (the fixture)
    by_http = get(cast.ben, "/departments").body

    assert door.call(cast.ben.key, "department_list").value == by_http


def test_the_old_name_of_the_tool_still_answers(cast: Cast, door: Door) -> None:  # noqa: F811  (the fixture)
    found = door.call(cast.ben.key, "list_departments", {"query": "sal"}).value

    assert _names(found) == ["Sales"]
