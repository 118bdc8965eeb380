"""The where-grammar against real rows: a random predicate selects what plain Python selects."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from api.predicates import compile as compiled
from tests.api.evaluation import holds
from tests.api.predicate_strategies import OF_AGENTS, OF_ANSWERS, OF_DEPARTMENTS
from tests.api.predicate_worlds import World, answers_of, departments_and_agents_of
from tests.cast import make_cast

many = settings(max_examples=200, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def worlds(real_database: None) -> dict[str, World]:
    """Rows that all examples ask."""
    chance, cast = Random(7), make_cast()
    departments, agents = departments_and_agents_of(cast, chance)
    return {"departments": departments, "agents": agents, "answers": answers_of(cast, chance)}


def agree(world: World, predicate: Any) -> None:
    selected = set(world.rows.filter(compiled(predicate, world.table)).values_list("pk", flat=True))
    assert selected == {pk for pk, facts in world.facts.items() if holds(predicate, facts)}


@many
@given(OF_AGENTS)
def test_text_moments_tags_metadata_and_joins(worlds: dict[str, World], predicate: Any) -> None:
    agree(worlds["agents"], predicate)


@many
@given(OF_ANSWERS)
def test_numbers_and_values_of_two_types(worlds: dict[str, World], predicate: Any) -> None:
    agree(worlds["answers"], predicate)


@many
@given(OF_DEPARTMENTS)
def test_related_rows(worlds: dict[str, World], predicate: Any) -> None:
    agree(worlds["departments"], predicate)
