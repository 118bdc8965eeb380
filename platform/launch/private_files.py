"""Files that only their owner may read: written whole or not at all."""

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

from launch.errors import CannotStart


class OpenToOthers(CannotStart):
    """The data folder can be read by other users of the machine, and is not ours to close."""


def make_private(folder: Path) -> None:
    """Make the folder with mode 0700; close it when it is open, ours, and either empty or known as a data folder.

    A folder that holds something else is left alone: DATA_DIR may name a shared folder by mistake.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return
    is_ours = found.st_uid == os.geteuid() and ((folder / "secrets.json").exists() or not any(folder.iterdir()))
    if not is_ours:
        raise OpenToOthers(
            f"DATA_DIR {folder} can be read by others; run `chmod 700 {folder}` or name a folder of its own."
        )
    folder.chmod(0o700)


def write_json(path: Path, content: Any) -> None:
    """Put the content there with mode 0600; a reader sees the old file or the new one, never half of one."""
    temporary = _written(path.parent, content)
    temporary.replace(path)


def create_json(path: Path, content: Any) -> None:
    """The same, unless the file exists already: then it stays as it is, whoever was first."""
    temporary = _written(path.parent, content)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return
    finally:
        temporary.unlink()


def read_json(path: Path) -> Any:
    """The content, or None when there is no such file, it is not ours to read, or it is not JSON."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _written(folder: Path, content: Any) -> Path:
    handle, name = tempfile.mkstemp(dir=folder, prefix=".new-")  # 0600 from the start
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    return Path(name)
