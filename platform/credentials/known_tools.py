"""The tool names that an allowlist may hold: the platform's, and those that other apps register."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from uuid import UUID

from api.toolsets import canonical_names, specs

# tenant id → further names (featured objects, federated tools); None asks for those of every tenant.
Provider = Callable[[UUID | None], Iterable[str]]

_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Add a source of names, at start."""
    if provider not in _providers:
        _providers.append(provider)


def names(tenant_id: UUID | None = None) -> set[str]:
    """Every canonical name that a key of this tenant may be given."""
    return {*specs(), *(name for provider in _providers for name in provider(tenant_id))}


def canonical(entry: str) -> str:
    """An entry with its alias replaced by the canonical name; anything else as it is."""
    return canonical_names().get(entry, entry)


def nearest(entry: str, tenant_id: UUID | None = None) -> str | None:
    """The known name that the entry was probably meant to be."""
    found = get_close_matches(entry, [*names(tenant_id), *canonical_names()], n=1, cutoff=0.6)
    return found[0] if found else None
