"""Which tools there are: the decorated functions of the modules that TOOL_MODULES names."""

import pkgutil
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType, ModuleType

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from toolbox.declaring import BadTool, Declared, declared_by, is_declared


def declared() -> Mapping[str, Declared]:
    """Every tool by its id, in the order of ids; read once."""
    return _loaded(tuple(settings.TOOL_MODULES))


@lru_cache(maxsize=16)
def _loaded(names: tuple[str, ...]) -> Mapping[str, Declared]:
    found: dict[str, Declared] = {}
    for module in _modules(names):
        for function in [value for value in vars(module).values() if is_declared(value)]:
            if function.__module__ != module.__name__:
                continue  # imported from where it is declared
            tool_id = function.declares_tool[0]
            try:
                read = declared_by(function)
            except BadTool as fault:
                raise ImproperlyConfigured(f"The tool {tool_id} in {module.__name__} {fault}.") from fault
            if (first := found.setdefault(read.id, read)) is not read:
                raise ImproperlyConfigured(
                    f"The tool {read.id} in {module.__name__} has the id of a tool in {first.function.__module__}; "
                    "give one of them another id."
                )
    return MappingProxyType(dict(sorted(found.items())))


def _modules(names: tuple[str, ...]) -> Iterator[ModuleType]:
    """The named modules; of a package all modules in it."""
    for name in dict.fromkeys(names):
        module = _imported(name)
        yield module
        for inner in sorted(part.name for part in pkgutil.iter_modules(getattr(module, "__path__", ()))):
            yield _imported(f"{name}.{inner}")


def _imported(name: str) -> ModuleType:
    try:
        return import_module(name)
    except Exception as fault:
        raise ImproperlyConfigured(
            f"TOOL_MODULES names {name}, which cannot be imported: {type(fault).__name__}: {fault}"
        ) from fault
