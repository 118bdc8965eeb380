"""Tools that a workflow step or an agent calls: the same execution, written down with the same facts of the caller."""

import asyncio
import time
from typing import Any

from ground.bridge import in_django
from ground.errors import PlatformError
from identity.principal import Principal
from receipts import audit
from toolbox.execution import run_tool

STOPPED = 499  # the status of work that was given up


async def run_inside(principal: Principal, tool_id: str, data: Any, **call: Any) -> Any:
    """What the tool returns; errors and cancelling as for `run_tool`."""
    begun = time.perf_counter()
    try:
        answer = await run_tool(principal, tool_id, data, **call)
    except BaseException as failure:
        # Shielded: work that is stopped is written down too.
        await asyncio.shield(in_django(_write_down, principal, tool_id, _status(failure), begun))
        raise
    await in_django(_write_down, principal, tool_id, 200, begun)
    return answer


def _status(failure: BaseException) -> int:
    if isinstance(failure, PlatformError):
        return failure.status
    return STOPPED if isinstance(failure, asyncio.CancelledError) else 500


def _write_down(principal: Principal, tool_id: str, status: int, begun: float) -> None:
    outcome = "ok" if status == 200 else "refused" if status < 499 else "failed"
    audit.record(
        principal, door="task", operation="post ToolExecute", object_type="tool", object_id=tool_id, outcome=outcome,
        status=status, duration_ms=(time.perf_counter() - begun) * 1000,
    )  # fmt: skip
