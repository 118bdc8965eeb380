"""The tools of the registry as an agent has them: named by it, called with the rights of whoever talks to it."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from pydantic_ai import FunctionToolset, Tool, ToolFailed

from ground.errors import InvalidInput, PlatformError
from identity.principal import Principal
from toolbox.answers import shown, usable_tools
from toolbox.arguments import arguments_schema, data_of
from toolbox.declaring import Declared
from toolbox.inner import run_inside
from toolbox.registry import declared

_SHOWN = frozenset({"id", "description", "requireApproval", "inputSchema", "outputSchema"})


def toolset(principal: Principal, names: Iterable[str], run_id: str) -> FunctionToolset[None]:
    """What the agent loop calls: the tools of these names."""
    known = declared()
    return FunctionToolset([_callable(principal, known[name], run_id) for name in names if name in known])


def offered(principal: Principal, names: Iterable[str]) -> list[str]:
    """The names of the tools that this caller may use; a model is not told of others."""
    usable = {tool.id for tool in usable_tools(principal, "tools:execute")}
    return [name for name in names if name in usable]


def missing(names: Iterable[str]) -> list[str]:
    """The names behind which there is no tool."""
    return [name for name in names if name not in declared()]


def described(names: Iterable[str], *, schemas: bool) -> dict[str, dict[str, Any]]:
    """The tools as an agent shows them, by name."""
    known = declared()
    return {name: _described(known[name], schemas) for name in names if name in known}


def _described(tool: Declared, schemas: bool) -> dict[str, Any]:
    return {name: value for name, value in shown(tool, schemas=schemas).items() if name in _SHOWN}


def _callable(principal: Principal, tool: Declared, run_id: str) -> Tool[None]:
    return Tool.from_schema(
        _function(principal, tool, run_id), tool.id, tool.description, arguments_schema(tool), takes_ctx=False
    )


def _function(principal: Principal, tool: Declared, run_id: str) -> Callable[..., Awaitable[Any]]:
    async def call(**arguments: Any) -> Any:
        """The tool's result; a failure is told to the model, which may try something else."""
        try:
            return await run_inside(principal, tool.id, data_of(tool, arguments), run_id=run_id)
        except PlatformError as failure:
            raise ToolFailed(_said(failure)) from failure

    return call


def _said(failure: PlatformError) -> str:
    if isinstance(failure, InvalidInput) and failure.issues:
        named = "; ".join(f"{issue['field'].removeprefix('data.')}: {issue['message']}" for issue in failure.issues)
        return f"{failure.sentence}: {named}"
    return failure.sentence
