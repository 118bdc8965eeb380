"""The tool names that an allowlist may hold: the platform's, and those that other apps register."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from uuid import UUID

from api.doors import ROUTER_TOOLS
from api.toolsets import canonical_names, specs, toolsets

# tenant id → further names (featured objects, federated tools); None asks for those of every tenant.
Provider = Callable[[UUID | None], Iterable[str]]

# (tenant, owner, allowlist) → tokens of tools/list with the router's tools, and without.
TokenCounter = Callable[[UUID, UUID, frozenset[str]], tuple[int, int] | None]

_providers: list[Provider] = []
_counters: list[TokenCounter] = []


def register(provider: Provider) -> None:
    """Add a source of names, at start."""
    if provider not in _providers:
        _providers.append(provider)


def register_counter(counter: TokenCounter) -> None:
    """Set who counts the tokens of a listing, at start."""
    _counters[:] = [counter]


def token_counts(tenant_id: UUID, owner_id: UUID, allowlist: frozenset[str]) -> tuple[int, int] | None:
    """Tokens of the listing of such a key with the router switch on and off; None when nobody can tell."""
    return _counters[0](tenant_id, owner_id, allowlist) if _counters else None


def names(tenant_id: UUID | None = None) -> set[str]:
    """Every canonical name that a key of this tenant may be given."""
    return {*specs(), *(name for provider in _providers for name in provider(tenant_id))}


def groups(tenant_id: UUID | None = None) -> list[tuple[str, list[str]]]:
    """(group, names) for a person to pick from: the toolsets in their order, then what a known tenant has besides."""
    found = [(toolset.name, [spec.name for spec in toolset.tools if not spec.always]) for toolset in toolsets()]
    others = names(tenant_id).difference(specs(), ROUTER_TOOLS) if tenant_id is not None else set()
    found.append(("objects and servers", sorted(others)))
    return [(title, tools) for title, tools in found if tools]


def canonical(entry: str) -> str:
    """An entry with its alias replaced by the canonical name; anything else as it is."""
    return canonical_names().get(entry, entry)


def nearest(entry: str, tenant_id: UUID | None = None) -> str | None:
    """The known name that the entry was probably meant to be."""
    found = get_close_matches(entry, [*names(tenant_id), *canonical_names()], n=1, cutoff=0.6)
    return found[0] if found else None
