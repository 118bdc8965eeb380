"""What time it is."""

from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field

from ground.errors import InvalidInput
from toolbox.declaring import tool


class Where(BaseModel):
    """Whose clock to read."""

    model_config = ConfigDict(extra="forbid")

    timezone: Annotated[
        str, Field(max_length=80, description="The IANA name of a time zone, such as Europe/Berlin.")
    ] = "UTC"


class Now(BaseModel):
    """This moment."""

    now: str = Field(description="Date and time with the zone's offset, in ISO 8601.")
    weekday: str = Field(description="The weekday's English name.")
    timezone: str = Field(description="The time zone that was asked for.")


@tool(
    id="current_time",
    inline=True,
    timeout=5,
    annotations={"title": "Current time", "readOnlyHint": True, "openWorldHint": False},
)
async def current_time(data: Where) -> Now:
    """The date, the weekday and the time of now."""
    try:
        now = datetime.now(ZoneInfo(data.timezone))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"There is no time zone {data.timezone!r}; use a name such as Europe/Berlin."
        raise InvalidInput(
            "Invalid input for the tool current_time", [{"field": "data.timezone", "message": message}]
        ) from None
    return Now(now=now.isoformat(timespec="seconds"), weekday=now.strftime("%A"), timezone=data.timezone)
