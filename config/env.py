"""Typed readers of environment variables; a bad value stops the start and names its variable."""

import os
from collections.abc import Callable
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")


def _read(name: str, default: T, parse: Callable[[str], T], wanted: str) -> T:
    raw = os.environ.get(name)
    if raw is None or raw.strip() == "":
        return default
    try:
        return parse(raw.strip())
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be {wanted}, not {raw!r}.") from None


def text(name: str, default: str = "") -> str:
    """The variable's text, blanks trimmed; an empty value counts as unset."""
    return _read(name, default, str, "text")


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """One of `allowed`."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}, not {value!r}.")
    return value


def whole(name: str, default: int, *, least: int = 0, most: int | None = None) -> int:
    """A whole number within `least`…`most`, both included."""
    value = _read(name, default, int, "a whole number")
    if value < least or (most is not None and value > most):
        upper = f" and at most {most}" if most is not None else ""
        raise ImproperlyConfigured(f"{name} must be at least {least}{upper}, not {value}.")
    return value


def seconds(name: str, default: float, *, least: float = 0.0) -> float:
    """A span of time in seconds, fractions allowed."""
    value = _read(name, default, float, "a number of seconds")
    if not least <= value < 1e9:
        raise ImproperlyConfigured(f"{name} must be at least {least} seconds.")
    return value


def flag(name: str, default: bool = False) -> bool:
    """True for 1, true, yes, on; false for 0, false, no, off."""
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }

    def parse(raw: str) -> bool:
        if raw.lower() not in words:
            raise ValueError(raw)
        return words[raw.lower()]

    return _read(name, default, parse, "true or false")


def items(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """A comma-separated list, blanks and empty items dropped."""

    def parse(raw: str) -> tuple[str, ...]:
        return tuple(item.strip() for item in raw.split(",") if item.strip())

    return list(_read(name, default, parse, "a comma-separated list"))


def numbered(name: str, default: dict[int, str]) -> dict[int, str]:
    """`1:first,2:second` as {1: "first", 2: "second"}: secrets with a version each."""

    def parse(raw: str) -> dict[int, str]:
        pairs = (item.split(":", 1) for item in raw.split(",") if item.strip())
        found = {int(number): secret for number, secret in pairs}
        if not found or any(len(secret) < 32 for secret in found.values()):
            raise ValueError(raw)
        return found

    try:
        return _read(name, default, parse, "")
    except ImproperlyConfigured:  # never repeat a secret in a message
        raise ImproperlyConfigured(
            f"{name} must look like 1:<secret>,2:<secret>, each secret at least 32 characters long."
        ) from None
