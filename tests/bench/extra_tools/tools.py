"""Sixty tools over two existing routes, with names and texts of the usual length."""

from api.routes import get
from api.toolsets import Toolset, ToolSpec

COUNT = 60


def _spec(number: int) -> ToolSpec:
    return ToolSpec(
        name=f"catalogue_entry_{number:02d}",
        title=f"Catalogue entry {number}",
        summary=(
            f"Looks up entry {number} of the catalogue for the caller's organisation. Use it when a question names "
            "that entry; it returns its id, name and description, and nothing of other organisations."
        ),
        routes=(get("agent"),) if number % 2 else (get("agents"),),
        takes=("agentId*",) if number % 2 else (),
    )


TOOLSETS = (Toolset("verticals", tuple(_spec(number) for number in range(1, COUNT + 1))),)
