"""A platform that serves while these tests run, and folders for those that need their own."""

from collections.abc import Iterator

import pytest

from tests.launch.running import DataFolder, Up


@pytest.fixture
def folder() -> Iterator[DataFolder]:
    """A data folder where nothing runs."""
    folder = DataFolder()
    yield folder
    folder.remove()


@pytest.fixture(scope="package")
def served() -> Iterator[Up]:
    """One `manage.py up` for all tests that leave it running."""
    folder = DataFolder()
    try:
        up = Up(folder)
        try:
            yield up
        finally:
            up.end()
    finally:
        folder.remove()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with real processes follow one another, also in a parallel run (`-n 2 --dist loadgroup`)."""
    for item in items:
        if isinstance(item, pytest.Function) and {"served", "folder"} & set(item.fixturenames):
            item.add_marker(pytest.mark.xdist_group("processes"))
