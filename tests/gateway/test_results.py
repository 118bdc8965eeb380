"""Results: the text and the structured content are the same JSON, and never longer than a client reads."""

import json
from typing import Any

import pytest

from gateway import results
from gateway.offers import Listing, compiled
from ground.errors import Forbidden, InvalidInput, NotFound, UpstreamFailed

LIMIT = 100_000


def listing(output_schema: dict[str, Any] | None = None) -> Listing:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    return Listing(
        name="any", toolset="any", title="Any", description="Any.", input_schema=schema, validator=compiled(schema),
        writes=False, annotations={}, output_schema=output_schema,
    )  # fmt: skip


def result_of(value: Any) -> Any:
    return json.loads(results.of_value(listing({"type": "object"}), value))


def text_of(result: Any) -> str:
    return str(result["content"][0]["text"])


def test_text_and_structured_content_are_the_same() -> None:
    result = result_of({"agents": [{"id": "a", "name": "Ä"}]})

    assert text_of(result) == '{"agents":[{"id":"a","name":"Ä"}]}'
    assert result["structuredContent"] == {"agents": [{"id": "a", "name": "Ä"}]}
    assert result["isError"] is False


def test_a_plain_text_stays_plain() -> None:
    result = json.loads(results.of_value(listing(), "as it is"))

    assert result == {"content": [{"type": "text", "text": "as it is"}], "isError": False}


def test_a_tool_without_an_output_schema_has_no_structured_content() -> None:
    assert "structuredContent" not in json.loads(results.of_value(listing(), {"a": 1}))


def test_a_long_list_is_cut_at_an_item_and_says_where_to_go_on() -> None:
    value = {"agents": [{"id": str(number), "text": "x" * 100} for number in range(2000)]}

    result = result_of(value)

    kept = result["structuredContent"]
    assert len(text_of(result)) <= LIMIT
    assert kept["agents"] == value["agents"][: kept["nextOffset"]]
    assert kept["truncated"] is True
    assert kept["totalItems"] == 2000
    assert f"after {kept['nextOffset']} of 2000" in kept["rest"]
    assert json.loads(text_of(result)) == kept


@pytest.mark.parametrize("page", [0, 1, 3, 7])
def test_a_long_page_becomes_a_smaller_page_that_the_next_one_continues(page: int) -> None:
    rows = [{"id": page * 1000 + number, "text": "é" * 150} for number in range(1000)]

    kept = result_of({"rows": rows, "total": 99_999, "page": page, "perPage": 1000, "hasMore": False})[
        "structuredContent"
    ]

    assert kept["page"] * kept["perPage"] == page * 1000
    assert [row["id"] for row in kept["rows"]] == list(range(page * 1000, page * 1000 + kept["perPage"]))
    assert kept["hasMore"] is True
    assert kept["total"] == 99_999


@pytest.mark.parametrize(
    "value",
    [
        {"text": "\n" * 300_000, "threadId": "t"},
        {"a": {"b": {"c": ["x" * 300_000]}}},
        {"rows": [{"id": 1, "value": "q" * 200_000}], "page": 0, "perPage": 10},
        {str(number): "z" * 10 for number in range(20_000)},
        ["y" * 10] * 20_000,
    ],
    ids=["text", "nested", "one row", "many keys", "bare list"],
)
def test_anything_longer_is_cut_and_says_so(value: Any) -> None:
    result = result_of(value)

    assert len(text_of(result)) <= LIMIT
    assert json.loads(text_of(result))["truncated"] is True
    assert json.loads(text_of(result))["rest"]


def test_a_long_plain_text_is_cut_and_says_so() -> None:
    text = text_of(json.loads(results.of_value(listing(), "x" * 200_000)))

    assert len(text) <= LIMIT
    assert text.endswith("[truncated: true. Ask for less, or read it over HTTP, where nothing is cut.]")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NotFound("Agent with id x not found"), {"error": "Agent with id x not found"}),
        (Forbidden("agents:write"), {"error": "Missing required permission: agents:write."}),
        (
            InvalidInput("Invalid request body", [{"field": "name", "message": "must not be empty"}]),
            {"error": "Invalid request body: name must not be empty."},
        ),
        (UpstreamFailed("The model failed.", trace_id="t1"), {"error": "The model failed.", "traceId": "t1"}),
    ],
)
def test_an_error_is_one_sentence_without_structured_content(error: Any, said: dict[str, str]) -> None:
    result = json.loads(results.of_error(error))

    assert json.loads(text_of(result)) == said
    assert result["isError"] is True
    assert "structuredContent" not in result
