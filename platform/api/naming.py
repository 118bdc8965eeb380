"""Names inside are snake_case, outside camelCase; the same rule both ways."""

import re
from functools import lru_cache

_PART = re.compile(r"(?<=[a-z0-9])([A-Z])")


@lru_cache(maxsize=4096)
def camel(name: str) -> str:
    """`department_id` → `departmentId`; a name listed as kept outside stays."""
    if name in KEPT:
        return name
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    """`departmentId` → `department_id`."""
    return _PART.sub(lambda found: "_" + found[1].lower(), name)


# Names that callers know in this spelling.
KEPT = frozenset({"dry_run"})
