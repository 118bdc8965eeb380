"""JSON as it must be."""

import json
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ground.errors import InvalidInput, TooLarge
from ground.strict_json import loads

MANY_SCRIPTS = "\U0001f600 \u05e9\u05dc\u05d5\u05dd \u202e"
DEPTH, STRING, ITEMS = settings.LIMIT_JSON_DEPTH, settings.LIMIT_STRING_BYTES, settings.LIMIT_ARRAY_ITEMS


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"{}", {}),
        (b' [1, 2.5, true, null, "x"] ', [1, 2.5, True, None, "x"]),
        (b"0", 0),
        (f'{{"a": "{MANY_SCRIPTS}"}}'.encode(), {"a": MANY_SCRIPTS}),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (b'{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}', {"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}),
        (b'{"a:b": "c:d", "e": ":::"}', {"a:b": "c:d", "e": ":::"}),
        (rb'{"a\u003ab": 1}', {"a:b": 1}),
        (b"[" * DEPTH + b"]" * DEPTH, None),
        (b"[" + b"0," * (ITEMS - 1) + b"0]", [0] * ITEMS),
        (b'"' + b"x" * STRING + b'"', "x" * STRING),
    ],
    ids=lambda value: repr(value)[:16],
)
def test_what_is_json_is_read(body: bytes, value: Any) -> None:
    found = loads(body)
    assert value is None or found == value


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nul",
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"{'a': 1}",
        b"[1,]",
        b"1 2",
        b"01",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        rb'"\ud800"',
        rb'"\udc00\ud800"',
        rb'{"\ud800": 1}',
        b'"\xed\xa0\x80"',
        rb'"a\u0000b"',
        rb'{"a\u0000": 1}',
        b'"a\x00b"',
        b'{"a": 1, "a": 1}',
        b'{"a": 1, "b": {"c": 1, "c": 2}}',
        b'[{"a": ":", "a": "::"}]',
        rb'{"a": 1, "\u0061": 2}',
        rb'{"a": "\u003a", "a": "x"}',
        rb'{"a": "\u003A\u003A", "b": 1, "b": 2}',
    ],
)
def test_what_is_no_json_or_ambiguous_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput) as refused:
        loads(body)

    assert [issue["field"] for issue in refused.value.issues] == ["body"]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1),
        b'{"a":' * DEPTH + b"{}" + b"}" * DEPTH,
        b"[" + b"0," * ITEMS + b"0]",
        b'"' + b"x" * (STRING + 1) + b'"',
        b'"' + "é".encode() * (STRING // 2 + 1) + b'"',
        b'{"' + b"x" * (STRING + 1) + b'": 1}',
    ],
    ids=lambda body: repr(body[:12]),
)
def test_what_is_too_deep_or_too_long_is_refused(body: bytes) -> None:
    with pytest.raises(TooLarge):
        loads(body)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00") | st.sampled_from(':"\\{},')),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.sampled_from('ab:"\\é')), inner),
    max_leaves=20,
)


@hypothesis_settings(max_examples=200, database=None, deadline=None)
@given(json_values, st.booleans())
def test_every_value_comes_back_as_it_was(value: Any, ascii_only: bool) -> None:
    assert loads(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


def pairs(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts of objects whose keys may repeat, and arrays of them."""
    keys = st.sampled_from(["a", "b", "a:", r"\u0061", r"\u003a"])
    members = st.lists(st.tuples(keys, inner).map(lambda pair: f'"{pair[0]}":{pair[1]}'), max_size=4)
    return members.map(lambda found: "{" + ",".join(found) + "}") | st.lists(inner, max_size=3).map(
        lambda found: "[" + ",".join(found) + "]"
    )


class Repeated(Exception):
    """A key came twice."""


def once(found: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(found)) < len(found):
        raise Repeated
    return dict(found)


@hypothesis_settings(max_examples=500, database=None, deadline=None)
@given(st.recursive(st.sampled_from(['":"', r'"\u003a"', "1", '"a"']), pairs, max_leaves=12))
def test_a_repeated_key_is_found_wherever_it_is(text: str) -> None:
    try:
        expected = json.loads(text, object_pairs_hook=once)
    except Repeated:
        with pytest.raises(InvalidInput):
            loads(text.encode())
    else:
        assert loads(text.encode()) == expected
