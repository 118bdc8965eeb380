"""Names: canonical ones, aliases, and the wire names of tools for single objects."""

import hashlib
import re
import unicodedata
from functools import lru_cache

from api.doors import ROUTER_TOOLS
from api.toolsets import canonical_names

TARGET = 44  # characters, so that a client's own prefix still fits in 64
_WIRE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")

# Its tools stay callable under a URL that names other toolsets.
SESSION = "session"
WHOAMI = "whoami"


def canonical(name: str) -> str:
    """The canonical name of an alias; every other name as it is."""
    return canonical_names().get(name, name)


@lru_cache(maxsize=8192)
def wire_name(prefix: str, object_id: str) -> str:
    """The tool name for one object: `agent_` + its id where that is short and plain.

    Else the id is transliterated and cut, and a hash of the exact id keeps the name stable and distinct.
    """
    plain = prefix + object_id
    if object_id and len(plain) <= TARGET and _WIRE.fullmatch(plain):
        return plain
    ascii_only = unicodedata.normalize("NFKD", object_id).encode("ascii", "ignore").decode()
    tail = "_" + hashlib.sha256(object_id.encode()).hexdigest()[:8]
    stem = (prefix + _FOREIGN.sub("_", ascii_only).strip("_"))[: TARGET - len(tail)]
    return stem.rstrip("_") + tail


def clash(name: str) -> str | None:
    """Why a tool for a single object may not have this name; None when it may."""
    if name in ROUTER_TOOLS:
        return f"{name} is the name of a router tool."
    known = canonical_names().get(name)
    if known == name:
        return f"{name} is the name of a tool of the platform."
    if known is not None:
        return f"{name} is an older name of {known}."
    return None
