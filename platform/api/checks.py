"""What `manage.py check` asks of every route and tool: what stands in a declaration must exist and be complete."""

import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.checks import Error, register

from api.naming import camel
from api.operations import Operation
from api.routes import Registered, registered
from api.toolsets import ToolSpec, toolsets
from identity.permissions import ACTIONS, RESOURCES

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
SUMMARY = 300  # characters
METHODS = ("get", "post", "put", "patch", "delete")


@register("api")
def check_all(**_: Any) -> list[Error]:
    """Every fault of routes, tools and source roots."""
    specs = [spec for toolset in toolsets() for spec in toolset.tools]
    return [
        *(fault for name, route in registered().items() for fault in faults_of_route(name, route)),
        *(fault for spec in specs for fault in faults_of_tool(spec)),
        *faults_of_names(specs),
        *faults_of_roots(),
    ]


def faults_of_route(name: str, route: Registered) -> Iterator[Error]:
    """Handlers are operations; their permissions exist; their arguments are those of pattern and declaration."""
    handlers = [getattr(route.view, method) for method in METHODS if hasattr(route.view, method)]
    if not handlers:
        yield Error(f"The route {name} has no operation.", id="api.E001")
    for handler in handlers:
        found: Operation | None = getattr(handler, "operation", None)
        if found is None:
            yield Error(f"{handler.__qualname__} is not declared with @operation.", id="api.E001")
            continue
        if found.permission is not None and not is_permission(found.permission):
            yield Error(f"{handler.__qualname__} needs {found.permission}, which is no permission.", id="api.E002")
        if not found.summary:
            yield Error(f"{handler.__qualname__} has no docstring; it is what OpenAPI shows.", id="api.E003")
        yield from _faults_of_arguments(handler, found, path_of(route))


def _faults_of_arguments(handler: Any, found: Operation, path: list[str]) -> Iterator[Error]:
    declared = [name for name in ("query", "body") if getattr(found, name) is not None]
    wanted = {"self", "request", *path, *declared}
    if set(inspect.signature(handler).parameters) != wanted:
        yield Error(f"{handler.__qualname__} must take {', '.join(sorted(wanted))}.", id="api.E004")
    for part in declared:
        if shared := {camel(name) for name in path} & set(getattr(found, part).shared().fields):
            text = f"{handler.__qualname__} has {', '.join(sorted(shared))} in its path and in its {part}."
            yield Error(text, id="api.E005")


def faults_of_tool(spec: ToolSpec) -> Iterator[Error]:
    """Its routes exist and have what it takes; its texts are there and fit."""
    operations = [_operation_of(route.name, route.method) for route in spec.routes]
    for route, found in zip(spec.routes, operations, strict=True):
        if found is None:
            yield Error(f"The tool {spec.name} wraps {route.method} {route.name}, which does not exist.", id="api.E011")
    if not operations or operations[0] is None:
        return
    if spec.arguments is None and (missing := _missing(spec, operations[0])):
        yield Error(f"The tool {spec.name} takes {', '.join(missing)}, which its route does not.", id="api.E012")
    if spec.dry_run and not operations[0].dry_run:
        yield Error(f"The tool {spec.name} has a dry run, and its route has none.", id="api.E013")
    if not spec.title or not 0 < len(spec.summary) < SUMMARY:
        yield Error(f"The tool {spec.name} needs a title and a summary below {SUMMARY} characters.", id="api.E014")
    for name in (spec.name, *spec.aliases):
        if not NAME.fullmatch(name):
            yield Error(f"{name} is no name of a tool.", id="api.E015")


def _missing(spec: ToolSpec, found: Operation) -> list[str]:
    known = {camel(name) for name in path_of(registered()[spec.route.name])}
    for part in (found.query, found.body):
        known |= set(part.shared().fields) if part is not None else set()
    return [name for taken in spec.takes if (name := taken.removesuffix("*")) not in known]


def faults_of_names(specs: list[ToolSpec]) -> Iterator[Error]:
    """No name or alias twice."""
    taken = Counter(name for spec in specs for name in (spec.name, *spec.aliases))
    for name, times in taken.items():
        if times > 1:
            yield Error(f"{name} is the name or the alias of {times} tools.", id="api.E016")


def faults_of_roots() -> Iterator[Error]:
    """`platform` and `mcp` are the standard library's and the SDK's, whatever our folders are called."""
    for name in ("platform", "mcp"):
        file = importlib.import_module(name).__file__
        if file is None or Path(file).is_relative_to(Path(__file__).parents[2] / name):
            yield Error(f"`import {name}` finds our folder; it must hold no __init__.py.", id="api.E021")


def path_of(route: Registered) -> list[str]:
    """The names of the path values, as in the URL pattern."""
    return re.findall(r"<(?:\w+:)?(\w+)>", route.pattern)


def is_permission(text: str) -> bool:
    """Whether the text is one concrete `resource:action`."""
    resource, _, action = text.partition(":")
    return resource in RESOURCES and action in ACTIONS


def _operation_of(name: str, method: str) -> Operation | None:
    route = registered().get(name)
    return route.view.operation_of(method) if route is not None else None
