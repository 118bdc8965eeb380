"""The calculator: exact, forgiving in spelling, and bounded in everything."""

import time
from contextlib import suppress
from typing import Any

import pytest

from ground.errors import InvalidInput
from tests.cast import Cast
from tests.toolbox.conftest import Use
from toolbox.shipped.calculator import Expression, calculator

ANSWERS: list[tuple[str, Any, str]] = [
    ("1 + 2 * 3", 7, "7"),
    ("0.1 + 0.2", 0.3, "0.3"),
    ("(2 + 3) * 4.5", 22.5, "22.5"),
    ("2 ^ 10", 1024, "1024"),
    ("2**-2", 0.25, "0.25"),
    ("-2 ** 2", -4, "-4"),
    ("7 // 2", 3, "3"),
    ("-7 // 2", -4, "-4"),
    ("-7 % 3", 2, "2"),
    ("10 ÷ 4 − 1", 1.5, "1.5"),
    ("sqrt(16) + abs(-2)", 6, "6"),
    ("round(2.675, 2)", 2.68, "2.68"),
    ("round(2.5)", 2, "2"),
    ("max(1, 2.5, 2)", 2.5, "2.5"),
    ("floor(-1.5) + ceil(1.2)", 0, "0"),
    ("1_000 * 1e3", 1000000, "1000000"),
    ("2 ** 200", float(2**200), str(2**200)),
    ("log10(1000) * cos(0)", 3, "3"),
    ("0xff", 255, "255"),
    ("1 - 1.0", 0, "0"),
    ("10^308", 1e308, "1E+308"),
    ("10^-300", 1e-300, "1E-300"),
    ("10^400 / 10^399", 10, "10"),
    ("0 * 10^-300", 0, "0"),
]
REFUSALS = {
    "1 / 0": "Something is divided by zero.",
    "5 % 0": "Something is divided by zero.",
    "9 ** 9 ** 9": "The result has more than 1000 digits.",
    "10 ** 1e9": "The result has more than 1000 digits.",
    "10^400": "A number is further from 0 than 1.8e308.",
    "-10^999": "A number is further from 0 than 1.8e308.",
    "exp(2000)": "A number is further from 0 than 1.8e308.",
    "10^-500": "A number is closer to 0 than 2.2e-308.",
    "-10^-310": "A number is closer to 0 than 2.2e-308.",
    "10^-1200": "A number is closer to 0 than 1e-1000.",
    "10^-900 * 10^-900": "A number is closer to 0 than 1e-1000.",
    "exp(-5000)": "A number is closer to 0 than 1e-1000.",
    "sin(10^400)": "A number is further from 0 than 1.8e308.",
    "sin(10^-500)": "A number is closer to 0 than 2.2e-308.",
    "sqrt(-1)": "The result is not a number.",
    "2 +": "This is not an arithmetic expression; write it as in (2 + 3) * 4.5.",
    "(" * 400: "This is not an arithmetic expression; write it as in (2 + 3) * 4.5.",
    "__import__('os').getcwd()": "\"__import__('os').getcwd()\" is not arithmetic that the calculator knows.",
    "price * 2": "'price' is not arithmetic that the calculator knows.",
    "'a' * 9": "\"'a'\" is not arithmetic that the calculator knows.",
    "True + 1": "'True' is not arithmetic that the calculator knows.",
    "sqrt(1, 2)": "sqrt takes 1 numbers.",
    "round(1, 0.5)": "round takes a whole number of digits, at most 100.",
    "[x for x in (1,)]": "'[x for x in (1,)]' is not arithmetic that the calculator knows.",
    "1j * 1j": "'1j' is not arithmetic that the calculator knows.",
}


@pytest.mark.parametrize(("expression", "result", "text"), ANSWERS)
def test_an_expression_is_worked_out_exactly(expression: str, result: Any, text: str) -> None:
    worked_out = calculator(Expression(expression=expression))

    assert (worked_out.result, worked_out.text) == (result, text)
    assert type(worked_out.result) is type(result)


@pytest.mark.parametrize(("expression", "said"), REFUSALS.items())
def test_what_is_no_arithmetic_is_refused_with_a_sentence(expression: str, said: str) -> None:
    began = time.monotonic()

    with pytest.raises(InvalidInput) as refused:
        calculator(Expression(expression=expression))

    assert refused.value.issues == [{"field": "data.expression", "message": said}]
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("expression", ["-" * 499 + "1", "1" + "+1" * 249, "exp(" * 90 + "1" + ")" * 90, "9" * 500])
def test_long_expressions_end_soon(expression: str) -> None:
    began = time.monotonic()

    with suppress(InvalidInput):
        calculator(Expression(expression=expression))

    assert time.monotonic() - began < 1


def test_it_is_a_tool(cast: Cast, use: Use) -> None:
    assert use(cast.ben, "calculator", {"expression": "1/3"}) == {
        "result": 0.3333333333333333, "text": "0." + "3" * 100,
    }  # fmt: skip
