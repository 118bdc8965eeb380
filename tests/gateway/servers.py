"""Atrium in server processes of its own that share nothing but database, Valkey and secrets."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psutil
from django.conf import settings
from django.db import connection

from tests.gateway.clients import Door
from tests.serving import asgi, serving


def database_url() -> str:
    """Of the database that this session uses."""
    parts = urlsplit(settings.DATABASE_URL)
    return urlunsplit(parts._replace(path="/" + connection.settings_dict["NAME"]))


@contextmanager
def atrium(server: str, **environment: str) -> Iterator[Door]:
    """A running process; variables replace those of this session."""
    shared = {"DATABASE_URL": database_url(), "DATA_DIR": str(settings.DATA_DIR)}
    with serving(lambda port: asgi(server, "config.asgi:application", port), {**shared, **environment}) as url:
        yield Door(url.removesuffix("/api/mcp"))


def process_of(door: Door) -> psutil.Process:
    """The server process behind a door that this process started."""
    port = door.base.rpartition(":")[2]
    [found] = [child for child in psutil.Process().children() if port in child.cmdline()]
    return found
