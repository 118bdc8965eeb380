"""Where the embedded services answer: written by whoever runs them, read by every other command beside it."""

from pathlib import Path
from typing import TypedDict

import psutil

from launch.private_files import read_json, write_json

NAME = "services.json"


class Endpoint(TypedDict):
    """Where one embedded service listens on loopback, and its password; kept from start to start."""

    port: int
    password: str


class Holder(TypedDict):
    """The process that runs the services; the start tells it from a later process with the same pid."""

    pid: int
    started: float


class Remembered(TypedDict, total=False):
    """The content of services.json; an address is None for a service that is not embedded."""

    database: Endpoint
    valkey: Endpoint
    databaseUrl: str | None
    redisUrl: str | None
    holder: Holder


def remembered(data_dir: Path) -> Remembered:
    """What an earlier start wrote; empty before the first."""
    found: Remembered | None = read_json(data_dir / NAME)
    return found or Remembered()


def remember(data_dir: Path, facts: Remembered) -> None:
    """Write it for the next start and for other commands."""
    write_json(data_dir / NAME, facts)


def urls(data_dir: Path) -> tuple[str | None, str | None]:
    """(database, Redis) addresses of the services that a living process runs on this data folder."""
    facts = remembered(data_dir)
    if not is_alive(facts.get("holder")):
        return None, None
    return facts.get("databaseUrl"), facts.get("redisUrl")


def this_process() -> Holder:
    """Ourselves."""
    process = psutil.Process()
    return Holder(pid=process.pid, started=process.create_time())


def is_alive(holder: Holder | None) -> bool:
    """Whether that very process still runs."""
    if not holder:
        return False
    try:
        return abs(psutil.Process(holder["pid"]).create_time() - holder["started"]) < 1
    except psutil.NoSuchProcess:
        return False


def forget_holder(data_dir: Path) -> None:
    """The services are stopped; ports and passwords stay for the next start."""
    facts = remembered(data_dir)
    if facts.pop("holder", None):
        remember(data_dir, facts)
