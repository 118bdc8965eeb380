"""Named routes: registered where the URLs are declared, resolved once for calls inside the process."""

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.urls import URLPattern, path

from api.naming import camel

if TYPE_CHECKING:
    from api.views import PlatformView


class Route(NamedTuple):
    """A method of a named route."""

    method: str
    name: str

    def __str__(self) -> str:
        return f"{self.method} {shown_pattern(self.name)}"


class Registered(NamedTuple):
    """A route's pattern below the API prefix and the view behind it."""

    pattern: str
    view: "type[PlatformView]"


_registered: dict[str, Registered] = {}


def route(pattern: str, view: "type[PlatformView]", name: str) -> URLPattern:
    """Declare a route below the API prefix, with and without a trailing slash."""
    known = _registered.setdefault(name, Registered(pattern, view))
    if known != Registered(pattern, view):
        raise ValueError(f"Two routes are named {name}.")
    declared: URLPattern = path(pattern, view.as_view(), name=name)
    return declared


@lru_cache(maxsize=1)
def registered() -> dict[str, Registered]:
    """Every route by name, once the URL configuration is loaded."""
    import_module(settings.ROOT_URLCONF)
    return _registered


def view_of(name: str) -> "type[PlatformView]":
    """The view behind a named route."""
    return registered()[name].view


@lru_cache(maxsize=512)
def shown_pattern(name: str) -> str:
    """The pattern as documentation writes it: `/agents/:agentId/generate`."""
    parts = registered()[name].pattern.split("/")
    return "/" + "/".join(
        ":" + camel(part.strip("<>").rpartition(":")[2]) if part.startswith("<") else part for part in parts
    )


def get(name: str) -> Route:
    """GET of a named route."""
    return Route("GET", name)


def post(name: str) -> Route:
    """POST of a named route."""
    return Route("POST", name)


def patch(name: str) -> Route:
    """PATCH of a named route."""
    return Route("PATCH", name)


def delete(name: str) -> Route:
    """DELETE of a named route."""
    return Route("DELETE", name)
