"""PostgreSQL refuses to run as root: who runs it instead, and where that user can reach its files."""

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from launch.errors import CannotStart

ACCOUNT = "atrium-postgres"
BASES = (Path("/var/lib"), Path("/var/tmp"), Path(tempfile.gettempdir()))  # noqa: S108  (the last resorts of root)


class NoPlace(CannotStart):
    """Root cannot give PostgreSQL a folder of its own."""


@dataclass(frozen=True)
class ServerUser:
    """An account without rights."""

    uid: int
    gid: int


def server_user() -> ServerUser | None:
    """The account that runs PostgreSQL; None when we are not root and run it ourselves."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        entry = _new_account()
    return ServerUser(entry.pw_uid, entry.pw_gid)


def _new_account() -> pwd.struct_passwd:
    """An account of our own where the system can make one, else `nobody`."""
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return pwd.getpwnam("nobody")
    return pwd.getpwnam(ACCOUNT)


def can_enter(user: ServerUser, folder: Path) -> bool:
    """Whether the account gets into this folder, through all folders above it."""
    return all(_lets_in(user, step.stat()) for step in (folder, *folder.parents))


def _lets_in(user: ServerUser, found: os.stat_result) -> bool:
    if found.st_uid == user.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == user.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def folder_for(user: ServerUser, data_dir: Path) -> Path:
    """A folder outside the closed data folder, the same at every start, that only this account can read."""
    digest = hashlib.sha256(str(data_dir.resolve()).encode()).hexdigest()[:12]
    return _shared_base(user) / digest


def reachable_copy(user: ServerUser, installed: Path, *, also: Path, version: str) -> Path:
    """`installed` itself when the account can reach it, else a copy that it can; `also` must stay its neighbour."""
    if can_enter(user, installed):
        return installed
    kept = _shared_base(user) / f"postgresql-{version}"
    if not kept.exists():
        fresh = Path(tempfile.mkdtemp(dir=kept.parent, prefix=".new-"))
        shutil.copytree(installed, fresh / installed.name, symlinks=True)
        if also.exists():
            shutil.copytree(also, fresh / also.name, symlinks=True)
        _open_for_reading(fresh)
        fresh.replace(kept)
    return kept / installed.name


def _open_for_reading(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)


def _shared_base(user: ServerUser) -> Path:
    for base in BASES:
        if not base.is_dir() or not can_enter(user, base):
            continue
        folder = base / "atrium"
        try:
            folder.mkdir(mode=0o711, exist_ok=True)
        except OSError:
            continue
        if folder.stat().st_uid == 0 and not folder.is_symlink() and can_enter(user, folder):
            return folder
    raise NoPlace(
        "PostgreSQL cannot run as root, and no folder was found for another user; "
        "run Atrium as an ordinary user, or set DATABASE_URL."
    )
