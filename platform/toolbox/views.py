"""/tools: list, read, execute."""

from typing import Any

from django.conf import settings

from api.operations import operation
from api.replies import Pending
from api.views import PlatformView
from toolbox import answers
from toolbox.execution import start
from toolbox.serializers import ToolAnswer, ToolExecuteBody, ToolExecuteQuery, ToolListQuery


class ToolsView(PlatformView):
    """All tools."""

    @operation("tools:read", query=ToolListQuery)
    def get(self, request: Any, query: dict[str, Any]) -> dict[str, Any]:
        """List the visible tools, keyed by id."""
        return answers.list_tools(request.auth, query=query.get("query", ""), partial=query.get("partial") == "true")


class ToolView(PlatformView):
    """One tool."""

    @operation("tools:read", returns=ToolAnswer)
    def get(self, request: Any, tool_id: str) -> dict[str, Any]:
        """Read one tool."""
        return answers.get_tool(request.auth, tool_id)


class ToolExecuteView(PlatformView):
    """A call of a tool."""

    waits = True

    @operation("tools:execute", query=ToolExecuteQuery, body=ToolExecuteBody)
    def post(self, request: Any, tool_id: str, query: dict[str, Any], body: dict[str, Any]) -> Pending:
        """Run a tool; the answer is what it returns, as it is."""
        return Pending(
            start(
                request.auth,
                tool_id,
                body["data"],
                run_id=query.get("run_id"),
                idempotency_key=request.circumstances.idempotency_key,
                request_context=body.get("request_context"),
                seconds=settings.LIMIT_CALL_SECONDS,
            )
        )
