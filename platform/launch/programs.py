"""The programs of a running platform: web, worker, beat, and the one that prepares the database."""

import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from launch.child import Program
from launch.errors import CannotStart

ROOT = Path(__file__).resolve().parents[2]
DAPHNE, UVICORN = "daphne", "uvicorn"
Environment = Mapping[str, str]


def _python(name: str, environment: Environment, *arguments: str, pass_fds: tuple[int, ...] = ()) -> Program:
    return Program(name, (sys.executable, *arguments), environment, pass_fds=pass_fds, folder=ROOT)


def prepare(environment: Environment) -> Program:
    """Migrate, and make the demo data once."""
    return _python("prepare", environment, "manage.py", "prepare")


def worker(environment: Environment, log_level: str) -> Program:
    """Two processes that carry out what takes long."""
    return _python(
        "worker", environment, *_celery("worker", log_level), "--pool", "prefork", "--concurrency", "2",
        "--without-gossip", "--without-mingle",
    )  # fmt: skip


def beat(environment: Environment, log_level: str) -> Program:
    """What happens at its time."""
    return _python("beat", environment, *_celery("beat", log_level))


def _celery(part: str, log_level: str) -> tuple[str, ...]:
    # Its warning about root means pickled messages, which are not accepted here.
    quiet = "ignore:You're running the worker with superuser privileges"
    return ("-W", quiet, "-m", "celery", "-q", "-A", "config", part, "--loglevel", log_level)


def web(environment: Environment, listener: socket.socket, server: str | None, workers: int) -> list[Program]:
    """The web processes; they share the listening socket, so one that starts again misses no connection.

    One process is daphne and several are uvicorn, unless `server` says otherwise.
    """
    is_version_6 = listener.family is socket.AF_INET6
    if server == DAPHNE and is_version_6:  # it would mistake the clients' addresses on a socket it did not open
        raise CannotStart("daphne serves IPv4 addresses here; set HOST to one, or use `--server uvicorn`.")
    chosen = server or (UVICORN if workers > 1 or is_version_6 else DAPHNE)
    command = _uvicorn(listener.fileno()) if chosen == UVICORN else _daphne(listener.fileno())
    names = ["web"] if workers == 1 else [f"web-{number}" for number in range(1, workers + 1)]
    return [_python(name, environment, *command, pass_fds=(listener.fileno(),)) for name in names]


def _daphne(descriptor: int) -> tuple[str, ...]:
    # Quiet: the audit says who called what, and an access log costs a line a request.
    return ("-m", "daphne", "--fd", str(descriptor), "-v", "0", "--no-server-name", "config.asgi:application")


def _uvicorn(descriptor: int) -> tuple[str, ...]:
    # Proxy headers are believed or not by one rule, ours (TRUSTED_PROXIES): uvicorn must not rewrite the address.
    return (
        "-m", "uvicorn", "--fd", str(descriptor), "--loop", "uvloop", "--http", "httptools", "--lifespan", "off",
        "--no-proxy-headers", "--no-server-header", "--no-access-log", "--log-level", "warning",
        "--ws-max-size", "1048576", "--timeout-graceful-shutdown", "3", "config.asgi:application",
    )  # fmt: skip
