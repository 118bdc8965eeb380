"""Costs of calls."""

from decimal import Decimal

from pydantic_ai.usage import RequestUsage

from inference.accounts import Account
from inference.prices import cost_of
from inference.registry import Target

MILLION = RequestUsage(input_tokens=1_000_000, output_tokens=1_000_000)


def test_the_offline_model_costs_nothing() -> None:
    assert cost_of(Target("offline", "demo", Account("", "")), MILLION) == 0


def test_a_listed_model_has_its_list_price() -> None:
    assert cost_of(Target("openai", "gpt-4o", Account("", "key")), MILLION) == Decimal("12.50")


def test_an_unlisted_model_has_no_known_cost() -> None:
    assert cost_of(Target("openai", "nobody-knows-it", Account("", "key")), MILLION) is None


def test_a_listed_name_on_another_server_has_no_known_cost() -> None:
    assert cost_of(Target("openai", "gpt-4o", Account("http://127.0.0.1:1/v1", "key")), MILLION) is None
