"""The where-grammar over real rows."""

from typing import Any

import pytest

from api.fields import Field, FieldTable
from api.predicates import PredicateError
from api.predicates import compile as compiled
from identity.models import Department
from tests.cast import Cast

TABLE = FieldTable(
    {"name": Field("S", "name"), "parent": Field("S", "parent__name"), "rank": Field("O", "id", "number")}
)


def _cmp(op: str, path: str, literal: Any) -> dict[str, Any]:
    return {"op": op, "left": {"path": path}, "right": {"literal": literal}}


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (_cmp("eq", " ${name} ", "Sales"), {"Sales"}),
        (_cmp("eq", "parent", "Sales"), set()),
        (_cmp("ne", "parent", "Sales"), {"Sales", "Support"}),
        ({"op": "notIn", "value": {"path": "parent"}, "set": ["Sales"]}, {"Sales", "Support"}),
        ({"op": "not", "arg": _cmp("eq", "parent", "Sales")}, {"Sales", "Support"}),
        ({"op": "notExists", "path": "parent"}, {"Sales", "Support"}),
        ({"op": "or", "args": [_cmp("eq", "name", "Sales"), _cmp("eq", "name", "x")]}, {"Sales"}),
    ],
)
def test_a_predicate_selects_the_rows_it_describes(cast: Cast, predicate: Any, expected: set[str]) -> None:
    found = Department.objects.visible_to(cast.ana.principal).filter(compiled(predicate, TABLE))
    assert {row.name for row in found} == expected


@pytest.mark.parametrize(
    ("predicate", "code"),
    [
        ({"op": "like"}, "invalid_request"),
        (_cmp("eq", "secret", "x"), "field_not_allowed"),
        (_cmp("gt", "name", "x"), "operator_not_allowed"),
        (_cmp("eq", "name", None), "invalid_literal"),
        (_cmp("eq", "rank", True), "invalid_literal"),
        ({"op": "eq", "left": {"literal": 1}, "right": {"path": "name"}}, "invalid_operands"),
        ({"op": "and", "args": [_cmp("eq", "name", "x")] * 100}, "predicate_too_complex"),
    ],
)
def test_a_faulty_predicate_is_refused_with_its_code(predicate: Any, code: str) -> None:
    with pytest.raises(PredicateError) as refused:
        compiled(predicate, TABLE)
    assert [issue["code"] for issue in refused.value.issues] == [code]
