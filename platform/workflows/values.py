"""Values as runs keep them: JSON of a bounded size, the same whether a run was interrupted or not."""

from typing import Any

import orjson
from django.conf import settings

from ground.errors import InvalidInput, TooLarge
from workflows.context import StepFailed

NUL = b"\\u0000"


def copied(value: Any) -> Any:
    """The same value in objects of its own: who changes it changes nothing that is kept."""
    return orjson.loads(orjson.dumps(value))


def kept(value: Any, what: str) -> Any:
    """The value as JSON holds it; StepFailed with a sentence about `what` when it cannot be kept."""
    encoded = _encoded(value)
    if encoded is None:
        raise StepFailed(f"{what} is nothing that JSON can hold.")
    if (fault := _fault(encoded)) is not None:
        raise StepFailed(f"{what} {fault}.")
    return orjson.loads(encoded)


def check_given(value: Any, name: str) -> None:
    """Refuse what a caller gives and no run could keep: InvalidInput, or TooLarge."""
    encoded = _encoded(value)
    if encoded is None:
        raise InvalidInput(issues=[{"field": name, "message": "holds a number, a text or a depth that cannot be kept"}])
    if len(encoded) > settings.LIMIT_RUN_VALUE_BYTES:
        raise TooLarge(f"{name} of a run {_fault(encoded)}.")
    if (fault := _fault(encoded)) is not None:
        raise InvalidInput(issues=[{"field": name, "message": fault}])


def _encoded(value: Any) -> bytes | None:
    try:
        return orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return None


def _fault(encoded: bytes) -> str | None:
    limit = settings.LIMIT_RUN_VALUE_BYTES
    if len(encoded) > limit:
        return f"has {len(encoded)} bytes; {limit} are allowed"
    # An escaped backslash before u0000 is six ordinary characters.
    if NUL in encoded and NUL in encoded.replace(b"\\\\", b""):
        return "holds the character U+0000, which cannot be kept"
    return None
