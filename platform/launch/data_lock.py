"""One supervisor for each data folder: the second one says who holds it."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from launch.errors import CannotStart
from launch.private_files import make_private

NAME = "up.lock"


class Held(CannotStart):
    """Another supervisor runs on this data folder."""


class DataLock:
    """Held while the block runs; the kernel takes it back when we are killed."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self._handle = -1

    def __enter__(self) -> None:
        make_private(self.data_dir)
        self._handle = os.open(self.data_dir / NAME, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._handle, 20).decode().strip() or "unknown"
            os.close(self._handle)
            raise Held(
                f"Another `manage.py up` (process {holder}) holds {self.data_dir}; "
                "stop it, or set DATA_DIR to another folder."
            ) from None
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, str(os.getpid()).encode(), 0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)
