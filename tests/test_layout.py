"""The tree: `platform/` and `mcp/` are source roots, and no name of ours hides somebody else's."""

import importlib
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from config import ROOT

SOURCE_ROOTS = ("platform", "mcp")
AT_THE_ROOT = {
    "manage.py", "config", "platform", "mcp", "tests", "requirements.txt", "README.md", "Makefile", "docs",
    ".ci", ".ruff.toml", ".mypy.ini", ".pytest.ini", ".importlinter", ".git", ".gitignore",
}  # fmt: skip
APPS = sorted(
    path.name for root in SOURCE_ROOTS for path in (ROOT / root).iterdir() if path.is_dir() and path.name[0] not in "._"
)


def own_files() -> list[Path]:
    """What the repository holds at its root: the folders that are ignored are not ours."""
    ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()}
    return [path for path in ROOT.iterdir() if path.name not in ignored]


def test_the_root_holds_nothing_else() -> None:
    assert {path.name for path in own_files()} <= AT_THE_ROOT


@pytest.mark.parametrize("root", SOURCE_ROOTS)
def test_a_source_root_holds_packages_and_nothing_loose(root: str) -> None:
    assert [path.name for path in (ROOT / root).iterdir() if path.is_file()] == []


@pytest.mark.parametrize("root", SOURCE_ROOTS)
def test_no_tests_folder_is_named_like_a_source_root(root: str) -> None:
    assert not (ROOT / "tests" / root).exists()


def test_every_folder_of_tests_is_a_package() -> None:
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py") if "node_modules" not in path.parts}

    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("name", SOURCE_ROOTS)
def test_the_real_module_of_that_name_wins(name: str) -> None:
    file = importlib.import_module(name).__file__

    assert file is not None
    assert not any(Path(file).is_relative_to(ROOT / root) for root in SOURCE_ROOTS)


@pytest.mark.parametrize("app", [*APPS, "config", "tests"])
def test_a_name_of_ours_is_nobody_elses(app: str) -> None:
    assert app not in sys.stdlib_module_names
    assert app not in packages_distributions()


@pytest.mark.parametrize("app", APPS)
def test_an_app_is_a_package(app: str) -> None:
    file = importlib.import_module(app).__file__

    assert file is not None
    assert Path(file).read_text() == ""


def test_source_roots_come_after_everybody_else() -> None:
    places = [sys.path.index(str(ROOT / root)) for root in SOURCE_ROOTS]

    assert min(places) > max(number for number, path in enumerate(sys.path) if path.endswith("site-packages"))
