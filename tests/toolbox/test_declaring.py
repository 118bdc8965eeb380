"""Declaring tools: what a function says of itself, and declarations that stop the start."""

import sys
from collections.abc import Callable
from itertools import count
from types import ModuleType
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel, Field
from pytest_django.fixtures import Settings

from toolbox.context import ToolContext
from toolbox.declaring import tool
from toolbox.registry import declared

_numbers = count(1)  # a module's tools are read once


class Ask(BaseModel):
    """Never shown."""

    text: str = Field(description="What to say.")
    times: int = 1


class Said(BaseModel):
    words: list[str]


def module(monkeypatch: pytest.MonkeyPatch, settings: Settings, name: str, *functions: Callable[..., Any]) -> None:
    """A module with these tools, named in the setting."""
    made = ModuleType(name)
    for number, function in enumerate(functions):
        function.__module__ = name
        setattr(made, f"f{number}", function)
    monkeypatch.setitem(sys.modules, name, made)
    settings.TOOL_MODULES = [name]


def test_the_shipped_tools_are_there() -> None:
    assert list(declared()) == ["calculator", "current_time", "http_fetch"]


def test_a_function_is_the_whole_declaration(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    @tool(id="say", timeout=2, annotations={"readOnlyHint": True})
    def say(data: Ask, context: ToolContext) -> Said:
        """Says it.

        As often as you like.
        """
        return Said(words=[data.text] * data.times)

    module(monkeypatch, settings, "saying", say)

    found = declared()["say"]
    assert found.description == "Says it.\n\nAs often as you like."
    assert (found.timeout, found.memory_mb, found.inline, found.takes_context) == (2, 512, False, True)
    assert found.input_schema == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to say."},
            "times": {"type": "integer", "default": 1},
        },
        "required": ["text"],
    }
    assert found.output_schema == {
        "type": "object",
        "properties": {"words": {"type": "array", "items": {"type": "string"}}},
        "required": ["words"],
    }


def test_any_type_may_go_in(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    @tool(id="count")
    def length(data: list[int]) -> int:
        """Counts."""
        return len(data)

    module(monkeypatch, settings, "counting", length)

    assert declared()["count"].input_schema == {"type": "array", "items": {"type": "integer"}}


def test_two_tools_of_one_id_stop_the_start(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    @tool(id="same")
    def one(data: Ask) -> None:
        """One."""

    @tool(id="same")
    def two(data: Ask) -> None:
        """Two."""

    module(monkeypatch, settings, "twice", one, two)

    with pytest.raises(ImproperlyConfigured, match=r"^The tool same in twice has the id of a tool in twice; give one"):
        declared()


def no_docstring(data: Ask) -> None: ...


def no_type(data) -> None:  # type: ignore[no-untyped-def]
    """Takes what?"""


def no_input() -> None:
    """Takes nothing."""


def other_second(data: Ask, more: int) -> None:
    """Takes too much."""


def no_schema(data: Callable[[], int]) -> None:
    """Takes what is no JSON."""


BAD: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (no_docstring, {}, "has no docstring; it is the description that callers read."),
    (no_type, {}, "must take its input, with a type, and may take a ToolContext after it."),
    (no_input, {}, "must take its input, with a type, and may take a ToolContext after it."),
    (other_second, {}, "must name the type ToolContext for its second parameter."),
    (no_schema, {}, "has a type without a schema: "),
    (other_second, {"id": "9 lives"}, "needs an id of at most 64 letters, digits, - and _ that begins with a letter."),
    (other_second, {"timeout": 0}, "needs a timeout between 0 and 3600 seconds."),
    (other_second, {"memory_mb": 1}, "needs a memory_mb between 16 and 65536."),
    (other_second, {"annotations": {"readOnly": True}}, "has the annotation readOnly; known ones are "),
]


@pytest.mark.parametrize(("function", "options", "said"), BAD)
def test_a_declaration_that_cannot_be_used_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, function: Any, options: dict[str, Any], said: str
) -> None:
    options = {"id": "bad", **options}
    name = f"a_module_{next(_numbers)}"
    module(monkeypatch, settings, name, tool(**options)(function))

    with pytest.raises(ImproperlyConfigured) as stopped:
        declared()

    assert str(stopped.value).startswith(f"The tool {options['id']} in {name} {said}")


def test_a_module_that_is_not_there_stops_the_start(settings: Settings) -> None:
    settings.TOOL_MODULES = ["no.such.module"]

    with pytest.raises(ImproperlyConfigured, match=r"^TOOL_MODULES names no\.such\.module, which cannot be imported"):
        declared()
