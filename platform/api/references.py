"""How to find a visible object by the id in a path: registered by the app that owns it."""

from collections.abc import Callable
from uuid import UUID

from ground.errors import NotFound
from identity.principal import Principal

Finder = Callable[[Principal, str, str | None], object]

_finders: dict[str, Finder] = {}


def register(kind: str, finder: Finder) -> None:
    """`kind` is the path value's name without `_id`; the finder raises NotFound for missing and foreign alike."""
    _finders[kind] = finder


def find(kind: str, principal: Principal, public_id: str | UUID, permission: str | None = None) -> object:
    """The visible object of this kind."""
    if kind not in _finders:
        raise NotFound(f"{kind.capitalize()} with id {str(public_id)[:200]} not found")
    return _finders[kind](principal, str(public_id), permission)


def check_path(principal: Principal, path: dict[str, object], permission: str | None) -> None:
    """Raise NotFound when a path value names an object that the principal cannot see (any more)."""
    for name, value in path.items():
        if name.endswith("_id") and (kind := name.removesuffix("_id")) in _finders:
            _finders[kind](principal, str(value), permission)
