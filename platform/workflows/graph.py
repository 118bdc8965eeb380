"""The one graph model: nodes as both ways of writing produce them, made of a definition's JSON body."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Template = Any  # a mapping as in workflows.expressions
Condition = Mapping[str, Any]

FUNCTION, AGENT, TOOL = "function", "agent", "tool"
KINDS = (FUNCTION, AGENT, TOOL)


@dataclass(frozen=True, slots=True)
class StepNode:
    """A step: `kind` says what carries it out, `ref` which one. Delays in seconds."""

    id: str
    kind: str
    ref: str
    mapping: Template = None
    retries: int | None = None
    retry_delay: float | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class WorkflowNode:
    """A workflow inside another: its steps belong to the same run."""

    id: str
    workflow_id: str
    nodes: tuple["Node", ...]
    body: Mapping[str, Any]
    mapping: Template = None


@dataclass(frozen=True, slots=True)
class ParallelNode:
    """All of these at once."""

    nodes: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class BranchNode:
    """Each of these whose condition holds."""

    id: str
    conditions: tuple[Condition, ...]
    nodes: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class ForeachNode:
    """The node for each item of the input, so many at a time."""

    node: "StepNode | WorkflowNode"
    concurrency: int


@dataclass(frozen=True, slots=True)
class LoopNode:
    """The node again and again: while the condition holds, or until it does."""

    node: "StepNode | WorkflowNode"
    condition: Condition
    until: bool


@dataclass(frozen=True, slots=True)
class SleepNode:
    """Nothing for a while: `duration` in milliseconds or a mapping to it; `date` an ISO date or a mapping to it."""

    id: str
    duration: Any = None
    date: Any = None


@dataclass(frozen=True, slots=True)
class MapNode:
    """The input in another shape."""

    id: str
    mapping: Template


Node = StepNode | WorkflowNode | ParallelNode | BranchNode | ForeachNode | LoopNode | SleepNode | MapNode


def nodes_of(body: Mapping[str, Any]) -> tuple[Node, ...]:
    """The nodes of a definition's body, which has been checked."""
    return tuple(map(_node, body["steps"]))


def _node(entry: Mapping[str, Any]) -> Node:
    match entry["type"]:
        case "step":
            return _step(entry["step"])
        case "workflow":
            return WorkflowNode(
                entry["id"], entry["workflowId"], nodes_of(entry["body"]), entry["body"], entry.get("input")
            )
        case "parallel":
            return ParallelNode(tuple(map(_node, entry["steps"])))
        case "conditional":
            return BranchNode(entry["id"], tuple(entry["conditions"]), tuple(map(_node, entry["steps"])))
        case "foreach":
            return ForeachNode(_single(entry["step"]), entry.get("opts", {}).get("concurrency", 1))
        case "loop":
            return LoopNode(_single(entry["step"]), entry["condition"], entry["loopType"] == "dountil")
        case "sleep":
            return SleepNode(entry["id"], duration=entry["duration"])
        case "sleepUntil":
            return SleepNode(entry["id"], date=entry["date"])
        case _:
            return MapNode(entry["id"], entry["mapping"])


def _single(entry: Mapping[str, Any]) -> StepNode | WorkflowNode:
    node = _node(entry)
    assert isinstance(node, StepNode | WorkflowNode)
    return node


def _step(step: Mapping[str, Any]) -> StepNode:
    kind = next(kind for kind in KINDS if kind in step)
    return StepNode(
        step["id"],
        kind,
        step[kind],
        step.get("input"),
        step.get("retries"),
        step.get("retryDelay"),
        step.get("timeout"),
    )


def entries(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every entry of a body, those inside of others after them; nested workflows are not entered."""
    for entry in body["steps"]:
        yield from _entries(entry)


def _entries(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield entry
    inner = entry.get("step") if entry["type"] in ("foreach", "loop") else None
    for child in (*entry.get("steps", ()), *([inner] if inner else ())):
        yield from _entries(child)


def step_id(entry: Mapping[str, Any]) -> str | None:
    """The id under which an entry's record is kept; None: it has none of its own."""
    match entry["type"]:
        case "step":
            return str(entry["step"]["id"])
        case "foreach" | "loop":
            return step_id(entry["step"])
        case "parallel":
            return None
    return str(entry["id"])
