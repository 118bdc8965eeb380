"""Where the embedded services answer: written by `manage.py up`, read by every other command beside it."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

NAME = "services.json"


@dataclass(frozen=True)
class Services:
    """The addresses of the running services, None for one that is not embedded, and who runs them."""

    database_url: str | None
    redis_url: str | None
    supervisor: int


def urls(data_dir: Path) -> tuple[str | None, str | None]:
    """(database, Redis) addresses of the services that a living `up` serves on this data folder."""
    found = read(data_dir)
    return (found.database_url, found.redis_url) if found else (None, None)


def read(data_dir: Path) -> Services | None:
    """What a living `up` has written down, or None."""
    try:
        found = Services(**json.loads((data_dir / NAME).read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return found if is_alive(found.supervisor) else None


def write(data_dir: Path, found: Services) -> None:
    """Write the addresses down, for the owner's eyes."""
    draft = data_dir / f"{NAME}.{os.getpid()}"
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(asdict(found), indent=2))
    draft.replace(data_dir / NAME)


def forget(data_dir: Path) -> None:
    """The services are stopped."""
    (data_dir / NAME).unlink(missing_ok=True)


def is_alive(pid: int) -> bool:
    """Whether a process with this id exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
