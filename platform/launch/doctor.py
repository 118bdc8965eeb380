"""Checks of every moving part: each app may bring `doctor.py` with `checks()`, as this one does."""

import importlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from celery import current_app
from django.apps import apps
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from launch import state
from launch.launching import web_answers
from launch.ports import PortTaken, listening_socket

SERVE = "start `make run`"


@dataclass(frozen=True)
class Check:
    """One part, whether it is well, and one sentence: what was found, or how to mend it."""

    name: str
    ok: bool
    sentence: str

    @property
    def line(self) -> str:
        """As it is printed."""
        return f"{'ok ' if self.ok else 'BAD'} {self.name} — {self.sentence}"


def all_checks() -> Iterator[Check]:
    """The checks of all apps, in the order of INSTALLED_APPS."""
    for app in apps.get_app_configs():
        if find_spec(f"{app.name}.doctor") is not None:
            brought: Callable[[], Iterable[Check]] = importlib.import_module(f"{app.name}.doctor").checks
            yield from brought()


def checks() -> Iterator[Check]:
    """Those of the platform's own machinery."""
    yield _python()
    yield _data_dir()
    database = _database()
    yield database
    if database.ok:
        yield _migrations()
    broker = _broker()
    yield broker
    yield _worker() if broker.ok else Check("worker", False, "cannot be asked without the broker; mend that first")
    yield _web()


def _python() -> Check:
    found = ".".join(str(part) for part in sys.version_info[:3])
    is_new_enough = sys.version_info >= (3, 11)
    return Check("python", is_new_enough, found if is_new_enough else f"{found} is too old; install 3.11 or newer")


def _data_dir() -> Check:
    folder = settings.DATA_DIR
    if not folder.is_dir():
        return Check("data folder", False, f"{folder} does not exist; {SERVE}, which makes it")
    if folder.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return Check("data folder", False, f"{folder} can be read by others; run `chmod 700 {folder}`")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check("data folder", False, f"{folder} cannot be written; give it to the user who serves")
    return Check("data folder", True, str(folder))


def _database() -> Check:
    if not settings.DATABASE_URL:
        return Check("database", False, f"none is running; {SERVE}, or set DATABASE_URL")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            version = cursor.fetchone()[0].split()[0]
    except Error:
        return Check("database", False, f"does not answer; start the server of DATABASE_URL, or unset it and {SERVE}")
    if int(version.split(".")[0]) < 15:
        return Check("database", False, f"PostgreSQL {version} is too old; use 15 or newer")
    return Check("database", True, f"PostgreSQL {version}")


def _migrations() -> Check:
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if missing:
        return Check("migrations", False, f"{missing} are not applied; run `manage.py migrate`, or {SERVE}")
    return Check("migrations", True, f"{len(MigrationRecorder(connection).applied_migrations())} applied, none missing")


def _broker() -> Check:
    if not settings.REDIS_URL:
        return Check("broker", False, f"none is running; {SERVE}, or set REDIS_URL")
    if not state.broker():
        return Check("broker", False, f"does not answer; start the server of REDIS_URL, or unset it and {SERVE}")
    return Check("broker", True, "answers")


def _worker() -> Check:
    answers = current_app.control.inspect(timeout=2).ping() or {}
    if not answers:
        return Check("worker", False, f"none answered within 2 s; {SERVE}, or run `celery -A config worker`")
    return Check("worker", True, ", ".join(sorted(answers)))


def _web() -> Check:
    if web_answers():
        return Check("web", True, f"answers on port {settings.PORT}")
    try:
        listening_socket(settings.HOST, settings.PORT).close()
    except PortTaken as error:
        return Check("web", False, str(error))
    return Check(
        "web",
        False,
        f"nobody serves on port {settings.PORT}, which is free; {SERVE}, or set PORT here as it is set there",
    )
