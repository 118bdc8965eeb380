"""Tools that misbehave, beside the shipped ones."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from ground.invalidation import announce
from identity.principal import Principal
from tests.cast import Cast, Person
from toolbox.execution import start
from toolbox.models import Tool
from toolbox.rows import ensure_rows

MODULES = ["toolbox.shipped", "tests.toolbox.misbehaving"]

Use = Callable[..., Any]


@pytest.fixture
def bad_tools(settings: Settings) -> None:
    """The tools of `misbehaving` are there."""
    settings.TOOL_MODULES = MODULES


@pytest.fixture
def use(bad_tools: None) -> Use:
    """Runs a tool for a person and waits for it."""

    def used(person: Person, tool_id: str, data: Any = None, **call: Any) -> Any:
        return start(person.principal, tool_id, {} if data is None else data, **call).result(60)

    return used


@pytest.fixture
def cast_principal(cast: Cast) -> Principal:
    """Ben's principal, for tests that may not query."""
    return cast.ben.principal


def change(cast: Cast, tool_id: str, **values: Any) -> None:
    """Set department or enabled of a tool of the cast's tenant; felt at once."""
    ensure_rows(cast.tenant.id)
    assert Tool.objects.filter(tenant=cast.tenant, slug=tool_id).update(**values) == 1
    announce("surface", cast.tenant.id)


def eventually(is_true: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until it is true."""
    pause, end = threading.Event(), time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        pause.wait(0.01)
