"""JMESPath under a limit: what an expression builds on its way may not grow without end.

A few words can double a value again and again ([@, @] | [@, @] | …); every value that a node of the expression gives is
measured before the next one is built of it.
"""

import json
from functools import lru_cache
from typing import Any

import jmespath
from django.conf import settings
from jmespath import functions, visitor

MOST_NODES = 200_000


class TooLarge(Exception):
    """A value on the way has grown past the limit."""


class _Functions(functions.Functions):
    """The functions that make large texts out of small ones, with a look before they leap."""

    @functions.signature({"types": ["string"]}, {"types": ["array-string"]})
    def _func_join(self, separator: str, texts: list[str]) -> str:
        if sum(map(len, texts)) + len(separator) * len(texts) > settings.LIMIT_RUN_VALUE_BYTES:
            raise TooLarge
        return separator.join(texts)

    @functions.signature({"types": []})
    def _func_to_string(self, value: Any) -> str:
        measure(value)
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


class _Interpreter(visitor.TreeInterpreter):
    """Measures what each node gives that can be larger than what it was given."""

    def visit_flatten(self, node: Any, value: Any) -> Any:
        return _shallow(super().visit_flatten(node, value))

    def visit_projection(self, node: Any, value: Any) -> Any:
        return _shallow(super().visit_projection(node, value))

    def visit_pipe(self, node: Any, value: Any) -> Any:
        return measure(super().visit_pipe(node, value))

    def visit_multi_select_list(self, node: Any, value: Any) -> Any:
        return measure(super().visit_multi_select_list(node, value))

    def visit_multi_select_dict(self, node: Any, value: Any) -> Any:
        return measure(super().visit_multi_select_dict(node, value))

    def visit_function_expression(self, node: Any, value: Any) -> Any:
        return measure(super().visit_function_expression(node, value))


def _shallow(value: Any) -> Any:
    if isinstance(value, list) and len(value) > MOST_NODES:
        raise TooLarge
    return value


def measure(value: Any) -> Any:
    """The value; TooLarge when it has too many nodes or characters, counted as if nothing in it were shared."""
    nodes, room, waiting = 0, settings.LIMIT_RUN_VALUE_BYTES, [value]
    while waiting:
        found = waiting.pop()
        nodes += 1
        if isinstance(found, str):
            room -= len(found)
        elif isinstance(found, dict):
            room -= sum(map(len, found))
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
        if room < 0 or nodes > MOST_NODES or len(waiting) > MOST_NODES:
            raise TooLarge
    return value


@lru_cache(maxsize=2048)
def compiled(expression: str) -> Any:
    """The expression, read once; JMESPathError or RecursionError when it cannot be."""
    return jmespath.compile(expression)


@lru_cache(maxsize=1)
def _options() -> Any:
    return jmespath.Options(custom_functions=_Functions())


def search(expression: str, facts: Any) -> Any:
    """What the expression gives; JMESPathError, or TooLarge."""
    return _Interpreter(_options()).visit(compiled(expression).parsed, facts)
