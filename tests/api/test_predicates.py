"""The where-grammar: what it refuses, with which code and words, and where."""

from typing import Any

import pytest
from django.db.models import Q

from api.fields import Field, FieldTable, text_of
from api.predicates import Budget, PredicateError
from api.predicates import compile as compiled
from identity.models import Department
from tests.cast import Cast

SPANS = FieldTable({"name": Field("S", "name"), "error": Field("P", "error")})
TABLE = FieldTable(
    {
        "name": Field("S", "name"),
        "parent": Field("S", "parent__name"),
        "rank": Field("O", "rank", "number"),
        "startedAt": Field("O", "started_at", "timestamp"),
        "value": Field("O", "text", "stringOrNumber", numbers="number"),
        "tags": Field("A", "tags"),
    },
    metadata=text_of("metadata"),
    related={"spans": lambda which, inner: inner if which == "some" else ~inner},
    related_tables={"spans": SPANS},
)


def compare(op: str, path: str, literal: Any) -> dict[str, Any]:
    return {"op": op, "left": {"path": path}, "right": {"literal": literal}}


def member(path: str, *literals: Any) -> dict[str, Any]:
    return {"op": "in", "value": {"path": path}, "set": list(literals)}


def refused(predicate: Any) -> list[dict[str, Any]]:
    with pytest.raises(PredicateError) as failure:
        compiled(predicate, TABLE)
    return failure.value.issues


EQUAL = compare("eq", "name", "x")
SOME = {"spans": {"some": EQUAL}}


@pytest.mark.parametrize("path", ["name", " name ", "${name}", " ${ name } "])
def test_a_path_may_be_wrapped_and_is_trimmed(cast: Cast, path: str) -> None:
    found = Department.objects.visible_to(cast.ana.principal).filter(compiled(compare("eq", path, "Sales"), TABLE))

    assert [row.slug for row in found] == ["sales"]


@pytest.mark.parametrize(
    ("op", "names"),
    [("eq", set()), ("ne", {"Sales", "Support"}), ("exists", set()), ("notExists", {"Sales", "Support"})],
)
def test_a_missing_value_fails_what_is_and_passes_what_is_not(cast: Cast, op: str, names: set[str]) -> None:
    asked = {"op": op, "path": "parent"} if "xists" in op else compare(op, "parent", "Sales")

    found = Department.objects.visible_to(cast.ana.principal).filter(compiled(asked, TABLE))

    assert {row.name for row in found} == names


@pytest.mark.parametrize(
    "predicate",
    [
        None,
        [],
        "name",
        {},
        {"op": None},
        {"op": []},
        {"op": "like", "path": "name"},
        {**EQUAL, "also": 1},
        {"op": "eq", "left": {"path": "name"}},
        {"op": "eq", "left": {"path": "name", "literal": 1}, "right": {"literal": 1}},
        {"op": "eq", "left": {"path": ""}, "right": {"literal": "x"}},
        {"op": "eq", "left": {"path": "n" * 129}, "right": {"literal": "x"}},
        {"op": "eq", "left": {"path": 1}, "right": {"literal": "x"}},
        compare("eq", "name", {"a": 1}),
        compare("eq", "name", "é" * 2049),
        member("name"),
        member("name", *"x" * 101),
        {"op": "includes", "path": "tags", "value": " "},
        {"op": "includes", "path": "tags", "value": 5},
        {"op": "and", "args": []},
        {"op": "or", "args": EQUAL},
        {"op": "not", "args": [EQUAL]},
        {"scores": {"some": EQUAL}},
        {"spans": {"every": EQUAL}},
        {"spans": {"some": EQUAL, "none": EQUAL}},
        {"spans": {"some": SOME}},
        {"op": "and", "args": [compare("gt", "name", "x"), {"op": "exists"}]},
    ],
)
def test_what_is_no_predicate_is_one_issue_at_the_root(predicate: Any) -> None:
    assert refused(predicate) == [{"code": "invalid_request", "path": ["where"], "message": "Invalid input"}]


NOT_ALLOWED = "The predicate field is not allowed here"
WRONG_TYPE = "The literal does not match the selected field type"
MIXED = "Membership values must be homogeneous and match the selected field type"
BAD_KEY = "Metadata predicates require one non-empty top-level key"
SIDES = "Comparison predicates require a field on the left and a literal on the right"


@pytest.mark.parametrize(
    ("predicate", "code", "path", "message"),
    [
        (compare("eq", "secret", "x"), "field_not_allowed", ["left", "path"], NOT_ALLOWED),
        (compare("eq", "metadata", "x"), "field_not_allowed", ["left", "path"], NOT_ALLOWED),
        (member("secret", "x"), "field_not_allowed", ["value", "path"], NOT_ALLOWED),
        ({"op": "exists", "path": "metadata."}, "invalid_metadata_key", ["path"], BAD_KEY),
        ({"op": "exists", "path": "metadata.a.b"}, "invalid_metadata_key", ["path"], BAD_KEY),
        (compare("gt", "name", "x"), "operator_not_allowed", ["op"], "Operator gt is not supported for field name"),
        (compare("eq", "name", 5), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("eq", "name", None), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("eq", "name", "\x00"), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("eq", "name", "\ud800"), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("eq", "rank", True), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("eq", "rank", "5"), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("eq", "rank", float("nan")), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("eq", "rank", 10**400), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("gt", "value", "x"), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("gt", "startedAt", "2026-01-01"), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("gt", "startedAt", "2026-01-01T00:00:00"), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("gt", "startedAt", "2026-02-30T00:00:00Z"), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (compare("gt", "startedAt", "9999-12-31T23:59:59.999Z"), "invalid_literal", ["right", "literal"], WRONG_TYPE),
        (member("name", "x", 5), "invalid_literal", ["set"], MIXED),
        (member("value", "x", 5), "invalid_literal", ["set"], MIXED),
        (member("rank", 1, None), "invalid_literal", ["set"], MIXED),
        ({"op": "eq", "left": {"literal": 1}, "right": {"path": "name"}}, "invalid_operands", [], SIDES),
        (
            {"op": "in", "value": {"literal": "x"}, "set": ["x"]},
            "invalid_operands",
            [],
            "Membership predicates require an allowlisted field path",
        ),
    ],
)
def test_a_faulty_leaf_is_named_by_code_place_and_words(
    predicate: Any, code: str, path: list[str], message: str
) -> None:
    assert refused(predicate) == [{"code": code, "path": ["where", *path], "message": message}]


def test_all_issues_come_at_once_with_their_places() -> None:
    issues = refused(
        {"op": "and", "args": [compare("eq", "secret", "x"), {"op": "not", "arg": compare("lt", "name", "x")}]}
    )

    assert [(issue["code"], issue["path"]) for issue in issues] == [
        ("field_not_allowed", ["where", "args", 0, "left", "path"]),
        ("operator_not_allowed", ["where", "args", 1, "arg", "op"]),
    ]


def test_fields_of_another_scope_are_not_allowed() -> None:
    [issue] = refused({"spans": {"none": {"op": "exists", "path": "tags"}}})

    assert (issue["code"], issue["path"]) == ("field_not_allowed", ["where", "spans", "none", "path"])


def nested(levels: int) -> Any:
    return EQUAL if levels == 1 else {"op": "not", "arg": nested(levels - 1)}


TOO_BIG = "Predicates are limited to 100 nodes and 12 levels"
HUNDRED = [member("name", *["x"] * 100)]


@pytest.mark.parametrize(
    ("fits", "exceeds", "message"),
    [
        (nested(12), nested(13), TOO_BIG),
        ({"op": "and", "args": [EQUAL] * 99}, {"op": "and", "args": [EQUAL] * 100}, TOO_BIG),
        (
            {"op": "or", "args": [SOME] * 8},
            {"op": "or", "args": [SOME] * 9},
            "Trace queries are limited to 8 related collection clauses",
        ),
        (
            {"op": "or", "args": HUNDRED * 10},
            {"op": "or", "args": [*HUNDRED * 10, EQUAL]},
            "Trace queries are limited to 1000 literal units",
        ),
    ],
)
def test_a_predicate_has_limits(fits: Any, exceeds: Any, message: str) -> None:
    assert isinstance(compiled(fits, TABLE), Q)
    assert refused(exceeds) == [{"code": "predicate_too_complex", "path": ["where"], "message": message}]


def test_two_predicates_of_one_request_may_count_together() -> None:
    budget = Budget()
    compiled({"op": "and", "args": [EQUAL] * 60}, TABLE, ("traces", "where"), budget)

    with pytest.raises(PredicateError) as failure:
        compiled({"op": "and", "args": [EQUAL] * 60}, TABLE, budget=budget)

    assert [issue["code"] for issue in failure.value.issues] == ["predicate_too_complex"]
