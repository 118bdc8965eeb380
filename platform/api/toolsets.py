"""Tools as plain data: each is a thin wrapper over a route; no SDK and no protocol here."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from api.calls import Call
from api.routes import Route
from api.serializers import CamelSerializer
from identity.principal import Principal

# The order of toolsets in every listing.
ORDER = (
    "session",
    "agents",
    "workflows",
    "tools",
    "memory",
    "observability",
    "observability_analytics",
    "stored_agents",
    "missions",
    "skills",
    "data",
    "departments",
    "verticals",
)

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool.

    `takes` names the route's inputs that the tool offers (`agentId*`: required); `arguments` replaces them by inputs of
    the tool's own. `plan` turns the arguments into the call when they do not map by name; with several routes it picks.
    `choices` gives the values of an argument that the caller may use. `shape` turns the route's answer into the tool's,
    and `returns` describes it. `keywords` are found by the router's search and never advertised.
    """

    name: str
    title: str
    summary: str
    routes: tuple[Route, ...]
    aliases: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    arguments: type[CamelSerializer] | None = None
    plan: Callable[[Arguments], Call] | None = None
    choices: Mapping[str, Callable[[Principal, str], list[str] | None]] = field(default_factory=dict)
    shape: Callable[[Any, Arguments], Any] | None = None
    returns: type[CamelSerializer] | None = None
    text: Callable[[Any], str] | None = None  # the text block, where it is not the answer as JSON
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    dry_run: bool = False
    confirm: bool = False
    keywords: str = ""
    always: bool = False  # callable whatever the allowlist

    @property
    def route(self) -> Route:
        """The first route: the one that gives permission and inputs."""
        return self.routes[0]


@dataclass(frozen=True, slots=True)
class Toolset:
    """The tools of one app, in their order.

    `per_object` finds tools for single objects, at most so many. They follow the others; with `instead` they stand in
    their place, unless the caller may use none of them.
    """

    name: str
    tools: tuple[ToolSpec, ...]
    per_object: Callable[[Principal, int], Iterable["ObjectTool"]] | None = None
    instead: bool = False


@dataclass(frozen=True, slots=True)
class ObjectTool:
    """A tool for one object: `agent_<id>`. `fixed` are arguments of `spec` that the name stands for.

    With `gathered` everything that the tool is given becomes this one argument of `spec`. An input schema of its own
    comes with an output schema of its own, or none.
    """

    prefix: str
    object_id: str
    title: str
    summary: str
    spec: ToolSpec
    fixed: Mapping[str, Any]
    gathered: str | None = None
    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    annotations: Mapping[str, Any] = field(default_factory=dict)


@lru_cache(maxsize=1)
def toolsets() -> tuple[Toolset, ...]:
    """Every app's TOOLSETS, in the order of listings."""
    found: list[Toolset] = []
    for config in apps.get_app_configs():
        if config.module is not None and module_has_submodule(config.module, "tools"):
            found.extend(getattr(import_module(f"{config.name}.tools"), "TOOLSETS", ()))
    return tuple(sorted(found, key=lambda toolset: ORDER.index(toolset.name)))


@lru_cache(maxsize=1)
def specs() -> dict[str, ToolSpec]:
    """Every tool by its canonical name."""
    return {spec.name: spec for toolset in toolsets() for spec in toolset.tools}


@lru_cache(maxsize=1)
def canonical_names() -> dict[str, str]:
    """Aliases and names → canonical names."""
    names = {name: name for name in specs()}
    for spec in specs().values():
        for alias in spec.aliases:
            if names.setdefault(alias, spec.name) != spec.name:
                raise ValueError(f"The alias {alias} is taken twice.")
    return names


@lru_cache(maxsize=1)
def wrapping() -> dict[tuple[str, str], frozenset[str]]:
    """(method, route name) → the canonical names of the tools that wrap it."""
    found: dict[tuple[str, str], set[str]] = {}
    for spec in specs().values():
        for route in spec.routes:
            found.setdefault((route.method, route.name), set()).add(spec.name)
    return {key: frozenset(names) for key, names in found.items()}
