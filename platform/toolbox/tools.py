"""The tools toolset: a tool of its own for each tool of the registry, or three to find, read and call them."""

from collections.abc import Iterator
from typing import Any

from rest_framework import serializers

from api.calls import Call
from api.routes import get, post
from api.serializers import CamelSerializer, Json, Text
from api.toolsets import Arguments, ObjectTool, Toolset, ToolSpec
from identity.principal import Principal
from toolbox.answers import usable_tools
from toolbox.arguments import WRAPPED, arguments_schema, takes_an_object
from toolbox.declaring import Declared
from toolbox.serializers import ToolAnswer

PREFIX = "tool_"
SUMMARY_LENGTH = 299  # characters


class ToolLine(CamelSerializer):
    """One tool of the list."""

    id = Text(help_text="Pass it as toolId.")
    description = Text()


class ToolList(CamelSerializer):
    """The tools that the caller sees."""

    tools = serializers.ListField(child=ToolLine())


class ToolCallArguments(CamelSerializer):
    """A call of a tool."""

    tool_id = Text(max_length=120, help_text="The tool's id, from tool_list.")
    data = Json(  # type: ignore[assignment]
        required=False, allow_null=True, help_text="The tool's input, as tool_get shows its schema; {} without it."
    )


def tool_choices(principal: Principal, permission: str) -> list[str]:
    """The ids that a `toolId` may be."""
    return [tool.id for tool in usable_tools(principal, permission)]


def own_tools(principal: Principal, limit: int) -> Iterator[ObjectTool]:
    """`tool_<id>` for each tool that the caller may call, while there are at most `limit`."""
    found = usable_tools(principal, "tools:execute")
    return map(_own, found if len(found) <= limit else [])


def _own(tool: Declared) -> ObjectTool:
    schema = tool.output_schema
    return ObjectTool(
        prefix=PREFIX,
        object_id=tool.id,
        title=str(tool.annotations.get("title") or tool.id.replace("_", " ").replace("-", " ").capitalize()),
        summary=_summary(tool.description),
        spec=TOOL_CALL,
        fixed={"toolId": tool.id},
        gathered=WRAPPED if takes_an_object(tool) else None,
        input_schema=arguments_schema(tool),
        output_schema=schema if schema is not None and schema.get("type") == "object" else None,
        annotations={name: value for name, value in tool.annotations.items() if name != "title"},
    )


def _summary(description: str) -> str:
    said = " ".join(description.split())
    return said if len(said) <= SUMMARY_LENGTH else said[: SUMMARY_LENGTH - 1].rstrip() + "…"


def _list(arguments: Arguments) -> Call:
    query = {"partial": "true", **({"query": arguments["query"]} if arguments.get("query") else {})}
    return Call("tools", "GET", query=query)


def _lines(tools: dict[str, Any], arguments: Arguments) -> dict[str, Any]:
    return {"tools": [{"id": tool["id"], "description": tool["description"]} for tool in tools.values()]}


def _call(arguments: Arguments) -> Call:
    body = {"data": arguments.get("data", {})}
    return Call("tool-execute", "POST", path={"tool_id": arguments["toolId"]}, body=body)


TOOL_LIST = ToolSpec(
    "tool_list",
    "List tools",
    "Lists the tools you can see, each with id and description. Use it first to find a toolId; query keeps those "
    "whose id or description contains the text.",
    (get("tools"),),
    aliases=("list_tools",),
    takes=("query",),
    plan=_list,
    shape=_lines,
    returns=ToolList,
    idempotent=True,
    keywords="functions abilities find what can be done registry",
)
TOOL_GET = ToolSpec(
    "tool_get",
    "Get a tool",
    "Reads one tool: what it does, the JSON Schemas of its input and of what it returns, and whether a person has to "
    "approve each call. Use it before tool_call.",
    (get("tool"),),
    aliases=("get_tool",),
    takes=("toolId*",),
    choices={"toolId": tool_choices},
    returns=ToolAnswer,
    idempotent=True,
    keywords="function schema input output parameters describe details",
)
TOOL_CALL = ToolSpec(
    "tool_call",
    "Call a tool",
    "Runs a tool with data as its input and returns what the tool returns. tool_get shows what data has to look like.",
    (post("tool-execute"),),
    aliases=("call_tool",),
    arguments=ToolCallArguments,
    choices={"toolId": tool_choices},
    plan=_call,
    open_world=True,
    keywords="run execute invoke function use",
)

TOOLSETS = (Toolset("tools", (TOOL_LIST, TOOL_GET, TOOL_CALL), per_object=own_tools, instead=True),)
