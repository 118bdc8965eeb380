"""The examples of docs/workflows.md run as they stand there, and give what stands there."""

import importlib
import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

from config import ROOT
from launch.demo import make_demo, makers
from tests.gateway.clients import Door
from tests.gateway.conftest import door
from tests.workflows.client import timeless
from workflows.models import Workflow

__all__ = ["door"]

PAGE = (ROOT / "docs/workflows.md").read_text()
PASSING = ("traceId", "spanId")
EXAMPLES = re.findall(r"^## (Example \d: .*)$", PAGE, re.MULTILINE)


def blocks(example: str) -> list[tuple[str, str, str]]:
    """(what it is, its name, its text) of the marked blocks of one example."""
    section = PAGE.split(f"## {example}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"<!-- (\S+) ?(\S*) -->\n```\w+\n(.*?)```", section, re.DOTALL)


@dataclass
class Reader:
    """Somebody who does what the page says."""

    door: Door
    key: str
    folder: Path
    answers: list[tuple[Any, Any]] = field(default_factory=list)
    last: Any = None

    def read(self, kind: str, name: str, text: str) -> None:
        """Do what one block says."""
        match kind:
            case "module":
                (self.folder / name).parent.mkdir(exist_ok=True)
                (self.folder / name).write_text(text)
                importlib.import_module(name.removesuffix(".py").replace("/", "."))
            case "graph":
                stored = Workflow.objects.filter(slug=name).latest("created_at").graph
                self.answers.append((stored, json.loads(text)))
            case "http":
                self.last = self.request(shlex.split(text.replace("\\\n", " ")))
            case "mcp":
                self.last = self.door.call(self.key, name, json.loads(text)).value
            case "answer":
                written = json.loads(text)  # parts of a long answer are left out
                self.answers.append((settled({name: self.last[name] for name in written}), settled(written)))

    def request(self, words: list[str]) -> Any:
        """What curl would do."""
        options = dict(pairwise(words))
        url = next(word for word in words if word.startswith("$ATRIUM")).replace("$ATRIUM", settings.API_PREFIX)
        body = options.get("-d", "")
        answer = Client().generic(
            options.get("-X", "POST" if body else "GET"), url, body, content_type="application/json",
            headers={"Authorization": f"Bearer {self.key}"},
        )  # fmt: skip
        return answer.json()


def settled(value: Any) -> Any:
    """Without what is another each time."""
    value = timeless(value)
    if isinstance(value, dict):
        value = {name: inner for name, inner in value.items() if name not in PASSING}
        if re.fullmatch(r"[0-9a-f-]{36}", str(value.get("runId"))):
            value["runId"] = "…"
        if "resourceId" in value:
            value["resourceId"] = "…"
    return value


@pytest.fixture(scope="module")
def member(real_database: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The key of the demo's member."""
    folder = tmp_path_factory.mktemp("demo")
    make_demo(folder, makers())
    return str(json.loads((folder / "demo.json").read_text())["keys"]["member"])


@pytest.fixture
def reader(
    door: Door, member: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> Iterator[Reader]:
    """The reader, with a folder in which Python finds modules; the worker of the tests does not find them."""
    settings.RUN_INLINE_SECONDS = 30
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Reader(door, member, tmp_path)
    for name in ("shop.workflows", "shop"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_gives_what_the_page_says(reader: Reader, worker: None, example: str) -> None:
    for block in blocks(example):
        reader.read(*block)

    for found, written in reader.answers:
        assert found == written


def test_there_are_three_examples() -> None:
    assert len(EXAMPLES) == 3
    assert all(len(blocks(example)) >= 3 for example in EXAMPLES)


@pytest.mark.parametrize("name", re.findall(r"`((?:RUN|LIMIT_RUN|WORKFLOW)_[A-Z_]+)`", PAGE))
def test_a_setting_that_the_page_names_is_one(name: str) -> None:
    assert hasattr(settings, name)
    assert f"`{name}`" in (ROOT / "docs/settings.md").read_text()
