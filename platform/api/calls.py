"""A call of a route as plain values, the same for both doors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Door = Literal["http", "mcp", "admin", "task"]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Through which door a call came, and what came with it."""

    door: Door = "http"
    tool: str | None = None
    request_id: str | None = None
    idempotency_key: str | None = None
    dry_run: bool = False
    wait_seconds: float | None = None  # how long a call that waits does so; None: the server's setting


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the route's name and method, and its inputs under the names that callers use."""

    route: str
    method: str
    path: Mapping[str, Any] = field(default_factory=dict)  # snake_case, as in the URL pattern
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    circumstances: Circumstances = field(default_factory=Circumstances)


@dataclass(slots=True)
class LightRequest:
    """What a handler sees of a request in-process; over HTTP it sees DRF's."""

    auth: Any
    method: str
    circumstances: Circumstances
