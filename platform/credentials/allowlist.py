"""Allowlists: tool names or aliases, `namespace_*`, `server__*`, or `*`; normalised when they are read."""

from collections.abc import Iterable
from uuid import UUID

from api.doors import ROUTER_TOOLS, allows
from api.toolsets import specs
from credentials import known_tools
from ground.errors import InvalidInput


def normalised(entries: Iterable[str]) -> frozenset[str]:
    """The entries under canonical names, so that old spellings work for ever."""
    return frozenset(known_tools.canonical(entry) for entry in entries)


def checked(entries: Iterable[str], tenant_id: UUID, kept: Iterable[str] = ()) -> list[str]:
    """The entries, blanks trimmed and repeats dropped; InvalidInput names new ones that match no tool.

    New are those that are not `kept`.
    """
    cleaned = list(dict.fromkeys(entry.strip() for entry in entries if entry.strip()))
    known = known_tools.names(tenant_id)
    new = set(cleaned).difference(kept)
    unknown = [entry for entry in cleaned if entry in new and not _matches_any(known_tools.canonical(entry), known)]
    if unknown:
        raise InvalidInput(" ".join(_unknown(entry, tenant_id) for entry in unknown))
    return cleaned


def matching(entries: Iterable[str], tenant_id: UUID) -> list[str]:
    """The tools that the entries reach, sorted: without the router's own, and without those that every key may call."""
    allowlist = normalised(entries)
    hidden = {*ROUTER_TOOLS, *(name for name, spec in specs().items() if spec.always)}
    return sorted(name for name in known_tools.names(tenant_id).difference(hidden) if allows(allowlist, name))


def _matches_any(entry: str, known: set[str]) -> bool:
    if entry == "*" or entry in known:
        return True
    # A pattern stands for a namespace or a server, and never for the router's tools.
    return entry.endswith("_*") and any(allows(frozenset({entry}), name) for name in known)


def _unknown(entry: str, tenant_id: UUID) -> str:
    near = known_tools.nearest(entry, tenant_id)
    return f"There is no tool {entry[:100]!r}" + (f"; did you mean {near}?" if near else ".")
