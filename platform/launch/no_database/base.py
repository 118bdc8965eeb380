"""The database engine where none is running: every command that needs one says what to do, in one sentence."""

from typing import Any

from django.core.management.base import CommandError
from django.db import OperationalError
from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper


class NoDatabase(CommandError, OperationalError):
    """Printed as one sentence by a command, caught like any failed connection elsewhere."""


class DatabaseWrapper(PostgresWrapper):
    """Knows the dialect, and connects to nothing."""

    def get_new_connection(self, conn_params: Any) -> Any:
        """Refuse."""
        raise NoDatabase("No database is running: start `make run`, or set DATABASE_URL.")
