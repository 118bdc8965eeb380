"""Opaque cursors: signed, and bound to the caller they were given to."""

from typing import Any

from django.core import signing

from gateway.protocol.errors import invalid_params

SALT = "mcp.cursor"


def dump(caller: str, position: int) -> str:
    """The cursor of a position in a list of this caller."""
    return signing.dumps([caller, position], salt=SALT)


def load(caller: str, cursor: Any) -> int:
    """The position; a cursor that is not ours, or another caller's, is refused."""
    try:
        owner, position = signing.loads(cursor, salt=SALT) if isinstance(cursor, str) and cursor else (None, 0)
    except (signing.BadSignature, ValueError, TypeError):
        owner, position = None, 0
    if owner != caller:
        raise invalid_params("This cursor was not given by this server; begin again without one")
    return int(position)
