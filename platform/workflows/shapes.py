"""Workflows in the shapes that callers read: the graph, the steps, the schemas."""

from collections.abc import Iterator, Mapping
from typing import Any

from workflows.expressions import shown
from workflows.functions import function
from workflows.graph import AGENT, TOOL

Body = dict[str, Any]
_COMPONENTS = {AGENT: "AGENT", TOOL: "TOOL"}


def step_graph(body: Mapping[str, Any]) -> list[Body]:
    """The graph as the API and the pictures show it."""
    return [_entry(entry) for entry in body["steps"]]


def _entry(entry: Mapping[str, Any]) -> Body:
    match entry["type"]:
        case "step":
            return {"type": "step", "step": _step(entry["step"])}
        case "workflow":
            inner = {"serializedStepFlow": step_graph(entry["body"])}
            return {"type": "workflow", "id": entry["id"], "workflowId": entry["workflowId"], **inner}
        case "parallel":
            return {"type": "parallel", "steps": list(map(_entry, entry["steps"]))}
        case "conditional":
            conditions = [
                {"id": f"{_id(child)}-condition", "fn": shown(condition)}
                for child, condition in zip(entry["steps"], entry["conditions"], strict=True)
            ]
            steps = list(map(_entry, entry["steps"]))
            return {"type": "conditional", "id": entry["id"], "steps": steps, "serializedConditions": conditions}
        case "foreach":
            opts = {"concurrency": entry.get("opts", {}).get("concurrency", 1)}
            return {"type": "foreach", "step": _entry(entry["step"]), "opts": opts}
        case "loop":
            condition = {"id": f"{_id(entry['step'])}-condition", "fn": shown(entry["condition"])}
            return {
                "type": "loop", "step": _entry(entry["step"]), "serializedCondition": condition,
                "loopType": entry["loopType"],
            }  # fmt: skip
        case "sleep":
            return {"type": "sleep", "id": entry["id"], **_fixed(entry, "duration")}
        case "sleepUntil":
            return {"type": "sleepUntil", "id": entry["id"], **_fixed(entry, "date")}
    return {"type": "mapping", "id": entry["id"], "mapConfig": shown(entry["mapping"])}


def _fixed(entry: Mapping[str, Any], name: str) -> Body:
    value = entry[name]
    return {"fn": shown(value)} if isinstance(value, dict) else {name: value}


def _id(entry: Mapping[str, Any]) -> str:
    return str(entry["step"]["id"] if entry["type"] == "step" else entry["id"])


def _step(step: Mapping[str, Any]) -> Body:
    found = function(step["function"]) if "function" in step else None
    body: Body = {"id": step["id"]}
    if description := step.get("description") or (found.description if found else ""):
        body["description"] = description
    for kind, component in _COMPONENTS.items():
        if kind in step:
            body |= {"component": component, kind: step[kind]}
    return body | {"canSuspend": found.can_suspend if found else False}


def described(slug: str, name: str, description: str, origin: str, body: Mapping[str, Any], *, partial: bool) -> Body:
    """One workflow; the partial form leaves out schemas and steps and counts them."""
    steps = dict(_steps(body, ""))
    own = {name: step for name, step in steps.items() if "." not in name}
    shown_: Body = {
        "id": slug,
        "name": name,
        "description": description,
        "origin": origin,
        "steps": {} if partial else {key: _without(step, "isWorkflow") for key, step in own.items()},
        "allSteps": {} if partial else steps,
        "stepGraph": step_graph(body),
        "options": {"validateInputs": True, "emitStepEvents": True},
        "isProcessorWorkflow": False,
    }
    if partial:
        return shown_ | {"stepCount": len(own)}
    return shown_ | {key: body[key] for key in ("inputSchema", "outputSchema") if key in body}


def _without(step: Body, name: str) -> Body:
    return {key: value for key, value in step.items() if key != name}


def _steps(body: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Body]]:
    for entry in body["steps"]:
        yield from _steps_of(entry, prefix)


def _steps_of(entry: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Body]]:
    match entry["type"]:
        case "step":
            step = entry["step"]
            found = function(step["function"]) if "function" in step else None
            schemas = found.schemas if found else {}
            yield prefix + step["id"], {**_step(step), **schemas, "isWorkflow": False}
        case "workflow":
            yield prefix + entry["id"], {"id": entry["id"], "isWorkflow": True}
            yield from _steps(entry["body"], f"{prefix}{entry['id']}.")
        case "foreach" | "loop":
            yield from _steps_of(entry["step"], prefix)
        case "parallel" | "conditional":
            for child in entry["steps"]:
                yield from _steps_of(child, prefix)
        case _:
            yield prefix + entry["id"], {"id": entry["id"], "isWorkflow": False}
