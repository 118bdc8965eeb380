"""Database failures as one actionable sentence with the SQLSTATE, and nothing else of what the database said."""

from collections.abc import Callable
from typing import TypeVar

from django.db import DataError, InterfaceError, OperationalError, transaction
from django.db import Error as DatabaseFailure
from django.db.models import ProtectedError, RestrictedError
from psycopg_pool import PoolTimeout

from ground.errors import Conflict, InvalidInput, PlatformError, Unavailable

T = TypeVar("T")

VERBS = {"POST": "Insert", "PUT": "Update", "PATCH": "Update", "DELETE": "Delete", "GET": "Read"}

RETRIED = frozenset({"40001", "40P01", "55P03"})
ATTEMPTS = 3

_SENTENCES: dict[str, tuple[type[PlatformError], str]] = {
    "23505": (Conflict, "a record with these values already exists."),
    "23503": (Conflict, "it refers to a record that does not exist, or is still referred to."),
    "23502": (InvalidInput, "a required value is missing."),
    "23514": (InvalidInput, "a value is outside the allowed range."),
    **dict.fromkeys(RETRIED, (Conflict, "somebody changed the same record; try again.")),
}
_BY_CLASS: dict[str, tuple[type[PlatformError], str]] = {
    "22": (InvalidInput, "a value has the wrong type, format or length."),
    **dict.fromkeys(("08", "53", "57"), (Unavailable, "the database is busy or restarting; try again in a moment.")),
}

# Failures that never reached the server, or never came back from it, have no SQLSTATE of their own.
CONNECTION_LOST = "08006"
_WITHOUT_STATE: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((OperationalError, InterfaceError, PoolTimeout), CONNECTION_LOST),
    ((ProtectedError, RestrictedError), "23503"),
    ((DataError,), "22000"),
)
UNKNOWN = "HY000"


def sqlstate(failure: BaseException) -> str:
    """The five characters of the SQLSTATE; 08006 for a connection that is gone; HY000 when nothing is known."""
    seen: BaseException | None = failure
    while seen is not None:
        if state := getattr(seen, "sqlstate", None):
            return str(state)
        seen = seen.__cause__
    return next((state for kinds, state in _WITHOUT_STATE if isinstance(failure, kinds)), UNKNOWN)


def explained(failure: BaseException, method: str) -> PlatformError:
    """The error that a caller reads instead of the database's own."""
    state = sqlstate(failure)
    kind, sentence = _SENTENCES.get(state) or _BY_CLASS.get(state[:2]) or (Conflict, "the database refused the change.")
    return kind(f"{VERBS.get(method, 'Update')} failed ({state}) — {sentence}")


def with_retries(work: Callable[[], T], method: str) -> T:
    """Run `work`, again up to twice when another transaction got in the way; database failures are explained."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return work()
        except (DatabaseFailure, PoolTimeout) as failure:
            inside = transaction.get_connection().in_atomic_block
            if sqlstate(failure) not in RETRIED or attempt == ATTEMPTS or inside:
                raise explained(failure, method) from failure
    raise AssertionError("unreachable")
