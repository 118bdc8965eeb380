"""Tools that every tenant's agents may use; an agent names those it has."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic_ai import FunctionToolset, ModelRetry, Tool


async def current_time(timezone: str = "UTC") -> dict[str, str]:
    """The date, the weekday and the time of now.

    Args:
        timezone: The IANA name of a time zone, such as Europe/Berlin.
    """
    try:
        now = datetime.now(ZoneInfo(timezone))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ModelRetry(f"There is no time zone {timezone[:80]!r}; use a name such as Europe/Berlin.") from None
    return {"now": now.isoformat(timespec="seconds"), "weekday": now.strftime("%A"), "timezone": timezone}


TOOLS: dict[str, Tool[None]] = {tool.name: tool for tool in (Tool(current_time, takes_ctx=False),)}


def toolset(names: Iterable[str]) -> FunctionToolset[None]:
    """What the agent loop calls: the tools of these names."""
    return FunctionToolset([TOOLS[name] for name in names])


def missing(names: Iterable[str]) -> list[str]:
    """The names behind which there is no tool."""
    return [name for name in names if name not in TOOLS]


def described(names: Iterable[str], *, schemas: bool) -> dict[str, dict[str, Any]]:
    """The tools as an agent shows them, by name."""
    return {name: _described(TOOLS[name], schemas) for name in names if name in TOOLS}


def _described(tool: Tool[None], schemas: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": tool.name, "description": tool.description or "", "requireApproval": False}
    if schemas:
        shown |= {
            "inputSchema": tool.tool_def.parameters_json_schema,
            "outputSchema": tool.tool_def.return_schema or {},
        }
    return shown
