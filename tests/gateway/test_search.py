"""The router's search: every term first, the best partial rows after, misspelt words repaired."""

import pytest

from api.toolsets import toolsets
from gateway.search import MOST_ROWS, Found, Index
from gateway.sources.templates import template

INDEX = Index(template(spec, toolset.name) for toolset in toolsets() for spec in toolset.tools)


def names(answer: tuple[list[Found], int]) -> list[str]:
    return [row.offer.name for row in answer[0]]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("list agents", "agent_list"),
        ("LIST_AGENTS", "agent_list"),
        ("call_agent", "agent_call"),
        ("chat with an assistant", "agent_call"),
        ("what am I allowed to do", "whoami"),
        ("operating manual", "get_context"),
        ("background knowledge", "get_context"),
        ("départements", "department_list"),
        ("agnet_call", "agent_call"),
        ("departmetn", "department_list"),
        ("whoamy", "whoami"),
        ("rename an agent", "agent_update"),
    ],
)
def test_the_right_tool_comes_first(query: str, first: str) -> None:
    assert names(INDEX.search(query))[0] == first


def test_rows_that_match_every_term_come_before_partial_ones() -> None:
    found, total = INDEX.search("update agent")

    assert total == len(found)

    assert [row.partial for row in found] == sorted(row.partial for row in found)
    assert found[0] == Found(found[0].offer, False)


@pytest.mark.parametrize("query", ["", "   "])
def test_no_words_list_everything_in_its_order(query: str) -> None:
    assert names(INDEX.search(query)) == [offer.name for offer in INDEX.offers]


@pytest.mark.parametrize("query", ["xyzzyqq", "日本語", "!!!"])
def test_words_that_nothing_has_find_nothing(query: str) -> None:
    assert INDEX.search(query) == ([], 0)


def test_an_answer_has_at_most_twenty_rows_and_an_empty_query_no_cap() -> None:
    many = Index([offer for offer in INDEX.offers for _ in range(10)])

    rows, total = many.search("agent")
    assert len(rows) == MOST_ROWS
    assert total > MOST_ROWS
    assert len(many.search("")[0]) == len(INDEX.offers) * 10
