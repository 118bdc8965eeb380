"""A tool tried out by a person of the staff: what came of it, as the page shows it."""

import json
from typing import Any

from ground import strict_json
from ground.errors import InvalidInput, PlatformError, UpstreamFailed
from identity.principal import Principal
from receipts import audit
from toolbox.execution import start

MOST_CHARACTERS = 20_000  # of a result


def tried(principal: Principal, tool_id: str, written: str, seconds: float) -> dict[str, Any]:
    """`result` as text, or `failure` with `issues` and `trace_id`; written down either way."""
    try:
        value = start(principal, tool_id, strict_json.loads(written.encode()), seconds=seconds).result()
    except PlatformError as failure:
        _written_down(principal, tool_id, "failed", failure.status)
        return {
            "failure": failure.sentence,
            "issues": failure.issues if isinstance(failure, InvalidInput) else [],
            "trace_id": failure.trace_id if isinstance(failure, UpstreamFailed) else None,
        }
    _written_down(principal, tool_id, "ok", 200)
    shown = json.dumps(value, indent=2, ensure_ascii=False)
    return {"result": shown if len(shown) <= MOST_CHARACTERS else shown[:MOST_CHARACTERS] + "\n…"}


def _written_down(principal: Principal, tool_id: str, outcome: str, status: int) -> None:
    audit.record(
        principal, door="admin", operation="try tool", object_type="tool", object_id=tool_id, outcome=outcome,
        status=status,
    )  # fmt: skip
