"""Allowlists: tool names or aliases, `namespace_*`, `server__*`, or `*`; normalised when they are read."""

from collections.abc import Iterable
from uuid import UUID

from api.doors import allows
from credentials import known_tools
from ground.errors import InvalidInput


def normalised(entries: Iterable[str]) -> frozenset[str]:
    """The entries under canonical names, so that old spellings work for ever."""
    return frozenset(known_tools.canonical(entry) for entry in entries)


def checked(entries: Iterable[str], tenant_id: UUID) -> list[str]:
    """The entries, blanks trimmed and repeats dropped; InvalidInput names those that match no tool."""
    cleaned = list(dict.fromkeys(entry.strip() for entry in entries if entry.strip()))
    known = known_tools.names(tenant_id)
    unknown = [entry for entry in cleaned if not _matches_any(known_tools.canonical(entry), known)]
    if unknown:
        raise InvalidInput(" ".join(_unknown(entry, tenant_id) for entry in unknown))
    return cleaned


def matching(entries: Iterable[str], tenant_id: UUID) -> list[str]:
    """The known tools that the entries reach, sorted."""
    allowlist = normalised(entries)
    return sorted(name for name in known_tools.names(tenant_id) if allows(allowlist, name))


def _matches_any(entry: str, known: set[str]) -> bool:
    if entry == "*" or entry in known:
        return True
    return entry.endswith("*") and len(entry) > 1 and any(name.startswith(entry[:-1]) for name in known)


def _unknown(entry: str, tenant_id: UUID) -> str:
    near = known_tools.nearest(entry, tenant_id)
    return f"There is no tool {entry[:100]!r}" + (f"; did you mean {near}?" if near else ".")
