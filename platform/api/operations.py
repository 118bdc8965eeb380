"""One operation of a route: permission, inputs and answer, said once and read by HTTP, OpenAPI and MCP."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from api.serializers import CamelSerializer

Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Operation:
    """`permission` None means: any credential. `writes` decides on audit, idempotency and read-only keys."""

    permission: str | None
    query: type[CamelSerializer] | None
    body: type[CamelSerializer] | None
    returns: type[CamelSerializer] | None
    dry_run: bool
    writes: bool | None
    status: int
    handler: Callable[..., Any]

    @property
    def summary(self) -> str:
        """The first line of the handler's docstring."""
        return (self.handler.__doc__ or "").strip().partition("\n")[0]


def operation(
    permission: str | None,
    *,
    query: type[CamelSerializer] | None = None,
    body: type[CamelSerializer] | None = None,
    returns: type[CamelSerializer] | None = None,
    dry_run: bool = False,
    writes: bool | None = None,
    status: int = 200,
) -> Callable[[Handler], Handler]:
    """Declare a handler method of a PlatformView.

    The handler gets the request, the path values by name, and `query` and `body` as validated dicts when declared.
    `writes` defaults to every method but GET. With `dry_run` the handler answers `Written`.
    """

    def declare(handler: Handler) -> Handler:
        handler.operation = Operation(  # type: ignore[attr-defined]
            permission, query, body, returns, dry_run, writes, status, handler
        )
        return handler

    return declare
