"""The embedded Valkey: broker, cache and channel layer on loopback, with a password."""

import os
import secrets
from pathlib import Path
from signal import SIGTERM

from launch import wheels
from launch.child import Program
from launch.ports import LOOPBACK, free_port
from launch.services import Endpoint

FOLDER, CONFIGURATION = "valkey", "valkey.conf"


def url(endpoint: Endpoint) -> str:
    """The address of its first database."""
    return f"redis://:{endpoint['password']}@{LOOPBACK}:{endpoint['port']}/0"


def furnish(data_dir: Path, known: Endpoint | None, *, durable: bool) -> Endpoint:
    """Write its configuration; returns where it will listen: the port of last time when it is free.

    Every write goes to the append-only file before it is answered, so a kill -9 loses no message of the broker.
    """
    known = known or Endpoint(port=0, password=secrets.token_hex(24))
    endpoint = Endpoint(port=free_port(known["port"]), password=known["password"])
    folder = data_dir / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    lines = [
        f"port {endpoint['port']}", f"bind {LOOPBACK}", f"requirepass {endpoint['password']}", f'dir "{folder}"',
        f"appendonly {'yes' if durable else 'no'}", "appendfsync everysec", 'save ""', "daemonize no",
        "maxmemory-policy noeviction", "loglevel warning",
    ]  # fmt: skip
    handle = os.open(folder / CONFIGURATION, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return endpoint


def program(data_dir: Path) -> Program:
    """The server."""
    server = wheels.folder_of(wheels.VALKEY) / "bin" / "valkey-server"
    return Program(
        "valkey",
        (str(server), str(data_dir / FOLDER / CONFIGURATION)),
        {"PATH": os.defpath, "LC_ALL": "C"},
        orphan_signal=SIGTERM,
    )
