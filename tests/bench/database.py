"""A database of the benchmark's own, migrated and dropped again."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import django
import psycopg
from django.core.management import call_command
from psycopg import sql


@contextmanager
def fresh_database(settings: str = "tests.bench.settings") -> Iterator[None]:
    """Set Django up on a new, migrated database; the servers under load find it in DATABASE_URL."""
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    server, name = os.environ["DATABASE_URL"].rpartition("/")[0], f"bench_{uuid4().hex[:8]}"
    statement = sql.Identifier(name)
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(statement))
    os.environ["DATABASE_URL"] = f"{server}/{name}"
    django.setup()
    try:
        call_command("migrate", verbosity=0)
        yield
    finally:
        from django.db import connection as ours

        ours.close()
        ours.close_pool()
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(statement))
