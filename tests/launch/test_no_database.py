"""Commands where no database runs."""

import pytest

from tests.launch.running import DataFolder


@pytest.mark.parametrize("command", [["migrate"], ["migrate", "--check"], ["showmigrations"]])
def test_a_command_says_what_to_do(folder: DataFolder, command: list[str]) -> None:
    found = folder.manage(*command)

    assert found.returncode == 1
    assert found.stderr == "NoDatabase: No database is running: start `make run`, or set DATABASE_URL.\n"
