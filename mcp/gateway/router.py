"""The tools of a router key: the same surface and the same calls, seen through three small tools."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gateway.offers import Arguments, Listing, Schema, compiled
from ground.errors import NotFound

if TYPE_CHECKING:
    from gateway.surface import Surface

SEARCH, DESCRIBE, EXECUTE = "search_tools", "describe_tool", "execute_tool"

_NAME: Schema = {"type": "string", "minLength": 1, "description": "A tool's name."}
_OBJECT: Schema = {"type": "object"}


class UnknownTool(NotFound):
    """No such tool for this caller: missing and out of reach look the same."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown tool: {name[:100]}")


@lru_cache(maxsize=1)
def router_listings() -> dict[str, Listing]:
    """The three tools, by name; what they do depends on the surface that they are asked for."""
    listed = (
        _listing(
            SEARCH,
            "Search tools",
            "Finds the tools you can run, by words. Returns rows of name, write and summary; no query lists all.",
            {"query": {"type": "string", "description": "A few words."}},
            output=_OBJECT,
        ),
        _listing(
            DESCRIBE,
            "Describe a tool",
            "Returns a tool's description and complete input schema; use it before execute_tool.",
            {"name": _NAME},
            output=_OBJECT,
        ),
        _listing(
            EXECUTE,
            "Execute a tool",
            "Runs a tool by name and returns exactly what it returns.",
            {"name": _NAME, "input": {"type": ["object", "null"], "description": "Its arguments."}},
            writes=True,
        ),
    )
    return {listing.name: listing for listing in listed}


def _listing(
    name: str, title: str, description: str, properties: Schema, *, writes: bool = False, output: Schema | None = None
) -> Listing:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if "name" in properties:
        schema["required"] = ["name"]
    return Listing(
        name=name,
        toolset="router",
        title=title,
        description=description,
        input_schema=schema,
        validator=compiled(schema),
        writes=writes,
        annotations={
            "readOnlyHint": not writes,
            "destructiveHint": False,
            "idempotentHint": not writes,
            "openWorldHint": False,
        },
        output_schema=output,
    )


def search_tools(surface: "Surface", arguments: Arguments) -> dict[str, Any]:
    """Rows for what the words ask for; `total` also counts full matches that had no room."""
    rows = []
    found, total = surface.index.search(arguments.get("query") or "")
    for offer, partial in found:
        row: dict[str, Any] = {"name": offer.name, "write": offer.writes, "summary": summary(offer.description)}
        rows.append({**row, "partial": True} if partial else row)
    return {"tools": rows, "total": total}


def describe_tool(surface: "Surface", arguments: Arguments) -> dict[str, Any]:
    """The definition of one reachable tool."""
    offer = surface.find(arguments["name"])
    if offer is None:
        raise UnknownTool(arguments["name"])
    return {
        "name": offer.name,
        "description": offer.description,
        "inputSchema": offer.input_schema,
        "annotations": dict(offer.annotations),
    }


ANSWERS: dict[str, Callable[["Surface", Arguments], dict[str, Any]]] = {
    SEARCH: search_tools,
    DESCRIBE: describe_tool,
}


def summary(description: str) -> str:
    """The first sentence."""
    head, stop, _ = description.partition(". ")
    return head + "." if stop else description
