"""Arithmetic on exact decimals: the expression is read as a tree and walked, never run."""

import ast
import decimal
import math
import operator
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ground.errors import InvalidInput
from toolbox.declaring import tool

DIGITS, LARGEST_EXPONENT = 100, 1000
EXACT_IN_A_FLOAT = 2**53

_context = decimal.Context(
    prec=DIGITS,
    Emax=LARGEST_EXPONENT,
    Emin=-LARGEST_EXPONENT,
    traps=[decimal.Overflow, decimal.Underflow, decimal.InvalidOperation, decimal.DivisionByZero],
)
_SPELLINGS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "^": "§"})

Number = Decimal
Function = Callable[..., Number]


class Expression(BaseModel):
    """What to work out."""

    model_config = ConfigDict(extra="forbid")

    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=500,
            description="Such as (2 + 3) * 4.5 or sqrt(2)^10; + - * / // % ^, abs, round, min, max, floor, ceil, sqrt, "
            "exp, ln, log10, sin, cos, tan, pi, e.",
        ),
    ]


class Result(BaseModel):
    """What came out."""

    result: int | float = Field(description="The result as a number.")
    text: str = Field(description="The result with all its digits.")


class Unclear(Exception):
    """What is wrong with an expression."""


def _of_floats(function: Callable[[float], float]) -> Function:
    return lambda number: Decimal(repr(function(_float(number))))


def _float(number: Number) -> float:
    """The nearest float; refused where that would be infinite, or lose the digits that it still has."""
    near = float(number)
    if math.isinf(near):
        raise Unclear(f"A number is further from 0 than {sys.float_info.max:.1e}".replace("+", ""))
    if number != 0 and abs(near) < sys.float_info.min:
        raise Unclear(f"A number is closer to 0 than {sys.float_info.min:.1e}")
    return near


def _rounded(number: Number, digits: Number = Decimal(0)) -> Number:
    if digits != int(digits) or abs(digits) > DIGITS:
        raise Unclear(f"round takes a whole number of digits, at most {DIGITS}")
    return number.quantize(Decimal(1).scaleb(-int(digits)), decimal.ROUND_HALF_EVEN)


_OPERATORS: dict[type[ast.operator | ast.unaryop], Function] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda left, right: (left / right).to_integral_value(decimal.ROUND_FLOOR),
    ast.Mod: lambda left, right: left - right * (left / right).to_integral_value(decimal.ROUND_FLOOR),
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_FUNCTIONS: dict[str, tuple[Function, int, int]] = {  # function, fewest and most arguments
    "abs": (abs, 1, 1),
    "round": (_rounded, 1, 2),
    "min": (min, 1, 100),
    "max": (max, 1, 100),
    "floor": (lambda number: number.to_integral_value(decimal.ROUND_FLOOR), 1, 1),
    "ceil": (lambda number: number.to_integral_value(decimal.ROUND_CEILING), 1, 1),
    "sqrt": (Decimal.sqrt, 1, 1),
    "exp": (Decimal.exp, 1, 1),
    "ln": (Decimal.ln, 1, 1),
    "log10": (Decimal.log10, 1, 1),
    "sin": (_of_floats(math.sin), 1, 1),
    "cos": (_of_floats(math.cos), 1, 1),
    "tan": (_of_floats(math.tan), 1, 1),
}
_CONSTANTS = {
    "pi": Decimal("3.14159265358979323846264338327950288"),
    "e": Decimal("2.71828182845904523536028747135266249"),
}


@tool(
    id="calculator",
    timeout=5,
    memory_mb=128,
    annotations={"title": "Calculator", "readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
)
def calculator(data: Expression) -> Result:
    """Works out an arithmetic expression with exact decimals, so that 0.1 + 0.2 is 0.3. Use it for any calculation."""
    source = data.expression.translate(_SPELLINGS).replace("§", "**").strip()
    try:
        with decimal.localcontext(_context):
            return _result(_value(_tree(source), source))
    except Unclear as fault:
        said = str(fault)
    except decimal.Overflow:
        said = f"The result has more than {LARGEST_EXPONENT} digits"
    except decimal.Underflow:
        said = f"A number is closer to 0 than 1e-{LARGEST_EXPONENT}"
    except decimal.DivisionByZero:
        said = "Something is divided by zero"
    except (decimal.InvalidOperation, OverflowError, ValueError):
        said = "The result is not a number"
    except RecursionError:
        said = "The expression is nested too deeply"
    raise InvalidInput("Invalid input for the tool calculator", [{"field": "data.expression", "message": f"{said}."}])


def _tree(source: str) -> ast.expr:
    try:
        return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unclear("This is not an arithmetic expression; write it as in (2 + 3) * 4.5") from None


def _value(node: ast.expr, source: str) -> Number:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return _literal(node, source)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, source), _value(right, source))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(operand, source))
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _called(name, [_value(argument, source) for argument in arguments])
    written = ast.get_source_segment(source, node) or "This"
    raise Unclear(f"{written[:60]!r} is not arithmetic that the calculator knows")


def _literal(node: ast.Constant, source: str) -> Number:
    if isinstance(node.value, int):
        return +Decimal(node.value)
    return +Decimal((ast.get_source_segment(source, node) or repr(node.value)).replace("_", ""))


def _called(name: str, arguments: list[Number]) -> Number:
    function, fewest, most = _FUNCTIONS[name]
    if not fewest <= len(arguments) <= most:
        raise Unclear(f"{name} takes {fewest if fewest == most else f'{fewest} to {most}'} numbers")
    return function(*arguments)


def _result(number: Any) -> Result:
    plain = number.normalize()
    text = f"{plain:f}" if plain.adjusted() < DIGITS and plain.as_tuple().exponent > -DIGITS else str(plain)
    whole = plain == plain.to_integral_value() and abs(plain) <= EXACT_IN_A_FLOAT
    return Result(result=int(plain) if whole else _float(plain), text="0" if plain == 0 else text)
