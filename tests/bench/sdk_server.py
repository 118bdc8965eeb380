"""The measure beside ours: a bare server of the official SDK with the same definitions and the same read."""

import json
import os
from pathlib import Path
from typing import Any

import django
import uvicorn

import config  # noqa: F401  (puts the source roots on the path)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from mcp.server.lowlevel import Server  # noqa: E402

from agents.models import Agent  # noqa: E402
from ground.bridge import in_django  # noqa: E402
from mcp import types  # noqa: E402  (the SDK; Django must be set up first)

TENANT_ID = os.environ["BENCH_TENANT"]
TOOLS = [types.Tool.model_validate(tool) for tool in json.loads(Path(os.environ["BENCH_TOOLS"]).read_text())]


def read_agents() -> list[dict[str, Any]]:
    """The read that `agent_list` does, without key, rights, limits and audit."""
    rows = Agent.objects.filter(tenant_id=TENANT_ID).order_by("slug").values("slug", "name", "description")
    return [{"id": row["slug"], "name": row["name"], "description": row["description"]} for row in rows]


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """All definitions."""
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """`agent_list`, whatever the name."""
    reply = {"agents": await in_django(read_agents)}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=json.dumps(reply))], structured_content=reply
    )


server: Server[Any] = Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
app = server.streamable_http_app(streamable_http_path="/api/mcp", json_response=True, stateless_http=True)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning", access_log=False)
