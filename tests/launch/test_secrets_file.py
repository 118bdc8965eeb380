"""Secrets nobody has set."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from launch.private_files import OpenToOthers
from launch.secrets_file import NAME, Unreadable, load_or_create


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the environment had none."""
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.delenv("KEY_PEPPERS", raising=False)


def test_they_are_made_once_and_closed_to_others(tmp_path: Path) -> None:
    first = load_or_create(tmp_path / "var")

    assert load_or_create(tmp_path / "var") == first
    assert {len(secret) for secret in first.values()} == {64}  # type: ignore[arg-type]
    assert stat.S_IMODE((tmp_path / "var").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "var" / NAME).stat().st_mode) == 0o600


def test_those_who_start_at_once_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: load_or_create(tmp_path / "var"), range(8)))

    assert found == [found[0]] * 8
    assert [path.name for path in (tmp_path / "var").iterdir()] == [NAME]


def test_with_both_in_the_environment_the_disk_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "k" * 50)
    monkeypatch.setenv("KEY_PEPPERS", "1:" + "p" * 40)

    assert load_or_create(tmp_path / "var") == {"SECRET_KEY": "", "KEY_PEPPER": ""}
    assert not (tmp_path / "var").exists()


def test_a_broken_file_is_never_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    folder.mkdir(mode=0o700)
    (folder / NAME).write_text(json.dumps({"SECRET_KEY": "only"}))

    with pytest.raises(Unreadable, match="cannot be read; give it back its content"):
        load_or_create(folder)
    assert json.loads((folder / NAME).read_text()) == {"SECRET_KEY": "only"}


def test_a_shared_folder_is_not_taken_over(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "letter").write_text("mine")

    with pytest.raises(OpenToOthers, match="run `chmod 700"):
        load_or_create(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
