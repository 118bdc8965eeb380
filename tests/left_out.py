"""Tests that need a program this machine does not have are left out, and named at the end (`-p tests.left_out`)."""

import shutil

import pytest

# A marker, and the names under which its program is installed.
NEEDED = {"browser": ("chromium", "chromium-browser", "google-chrome"), "rabbitmq": ("rabbitmq-server",)}

_left_out: dict[str, list[str]] = {}


def is_missing(marker: str) -> bool:
    """Whether none of the programs behind this marker is installed."""
    return not any(shutil.which(program) for program in NEEDED[marker])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what cannot run here."""
    missing = [marker for marker in NEEDED if is_missing(marker)]
    for marker in missing:
        away = [item for item in items if item.get_closest_marker(marker)]
        if away:
            _left_out[marker] = [item.nodeid for item in away]
            config.hook.pytest_deselected(items=away)
            items[:] = [item for item in items if item not in away]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out."""
    for marker, tests in _left_out.items():
        terminalreporter.write_line(f"Left out, because {NEEDED[marker][0]} is not installed:")
        for test in tests:
            terminalreporter.write_line(f"  {test}")
