"""Reads a graph as somebody wrote it: every fault is named by its place, every node gets its id."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

import jsonschema_rs
from jsonschema_rs import Draft202012Validator

from ground.errors import InvalidInput, Issue
from workflows.expressions import condition_fault, mapping_fault
from workflows.functions import function
from workflows.graph import KINDS
from workflows.graph_schema import GRAPH_SCHEMA, KIND_SCHEMAS, MOST_STEPS
from workflows.ids import ID_CHARACTERS

Written = Mapping[str, Any]
Fault = tuple[str, str]

_PREFIXES = {"conditional": "branch", "sleep": "sleep", "sleepUntil": "sleep", "mapping": "mapping"}


def read_graph(workflow_id: str, written: Any) -> dict[str, Any]:
    """The graph with an id on every node; InvalidInput names what is wrong, and where.

    Generated ids are `mapping_<workflow>_<n>`, `sleep_…` and `branch_…`, counted in the order of the graph.
    """
    faults = list(_faults(written))
    if not faults:
        steps = _Numbered(workflow_id).all(written["steps"])
        graph = {**written, "steps": steps}
        faults = list(_twice(steps, "steps"))
        if (count := sum(_counted(steps))) > MOST_STEPS:
            faults.append(("steps", f"has {count} steps; {MOST_STEPS} are allowed"))
    if faults:
        issues = [Issue(field=field, message=message) for field, message in faults[:20]]
        raise InvalidInput("Invalid workflow graph", issues)
    return graph


@lru_cache(maxsize=16)
def _validator(kind: str) -> Draft202012Validator:
    schema = KIND_SCHEMAS[kind] if kind else GRAPH_SCHEMA
    return Draft202012Validator(schema, retriever=_refuse, mask="it")  # a value may be long, and its place is named


def _refuse(uri: str) -> Any:
    raise ValueError(f"Schemas may not refer to other documents: {uri}")


def _faults(written: Any) -> Iterator[Fault]:
    yield from _shape_faults("", written, "")
    if isinstance(written, dict):
        for name in ("inputSchema", "outputSchema"):
            if name in written and (found := schema_fault(written[name])):
                yield name, found
        if isinstance(written.get("steps"), list):
            for index, entry in enumerate(written["steps"]):
                yield from _entry_faults(entry, f"steps.{index}")


def _shape_faults(kind: str, value: Any, at: str) -> Iterator[Fault]:
    for failure in _validator(kind).iter_errors(value):
        where = list(failure.instance_path)
        # What a node of the graph may be is said at the node.
        if failure.kind.name != "oneOf" and (kind or where[:1] != ["steps"] or len(where) == 1):
            yield ".".join(filter(None, [at, *map(str, where)])) or "graph", failure.message[:300]


def schema_fault(schema: Any) -> str | None:
    """What is wrong with a JSON Schema, as the end of a sentence; None when nothing is."""
    try:
        jsonschema_rs.meta.validate(schema)
        Draft202012Validator(schema, retriever=_refuse)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as failure:
        return f"is no JSON Schema: {str(getattr(failure, 'message', failure)).splitlines()[0][:200]}"
    return None


def _entry_faults(entry: Any, at: str, *, leaf: bool = False) -> Iterator[Fault]:
    kind = entry.get("type") if isinstance(entry, dict) else None
    if kind not in KIND_SCHEMAS:
        known = ("step", "workflow") if leaf else tuple(KIND_SCHEMAS)
        yield f"{at}.type", f"must be one of {', '.join(known)}"
        return
    if leaf and kind not in ("step", "workflow"):
        yield f"{at}.type", "must be step or workflow here; put anything else into a workflow of its own"
        return
    found = list(_shape_faults(kind, entry, at))
    yield from found
    if not found:
        yield from _meaning_faults(kind, entry, at)


def _meaning_faults(kind: str, entry: Written, at: str) -> Iterator[Fault]:
    match kind:
        case "step":
            yield from _step_faults(entry["step"], f"{at}.step")
        case "workflow":
            yield from _mapping_faults(entry, "input", at)
        case "parallel" | "conditional":
            for index, inner in enumerate(entry["steps"]):
                yield from _entry_faults(inner, f"{at}.steps.{index}", leaf=True)
        case "foreach" | "loop":
            yield from _entry_faults(entry["step"], f"{at}.step", leaf=True)
        case "mapping":
            yield from _mapping_faults(entry, "mapping", at)
        case "sleep" | "sleepUntil":
            yield from _sleep_faults(entry, at)
    if kind == "conditional" and len(entry["conditions"]) != len(entry["steps"]):
        yield f"{at}.conditions", "must be as many as there are steps"
    for index, condition in enumerate(entry.get("conditions", [entry["condition"]] if "condition" in entry else [])):
        if fault := condition_fault(condition):
            yield f"{at}.conditions.{index}" if kind == "conditional" else f"{at}.condition", fault


def _step_faults(step: Written, at: str) -> Iterator[Fault]:
    kinds = [kind for kind in KINDS if kind in step]
    if len(kinds) != 1:
        yield at, f"must name exactly one of {', '.join(KINDS)}"
    if "function" in step and function(step["function"]) is None:
        yield f"{at}.function", f"names the function {step['function']}, which does not exist"
    yield from _mapping_faults(step, "input", at)


def _mapping_faults(holder: Written, name: str, at: str) -> Iterator[Fault]:
    if name in holder and (fault := mapping_fault(holder[name])):
        yield f"{at}.{name}", fault


def _sleep_faults(entry: Written, at: str) -> Iterator[Fault]:
    if "duration" in entry:
        duration = entry["duration"]
        if isinstance(duration, int | float) and not isinstance(duration, bool):
            if not (math.isfinite(duration) and 0 <= duration <= 31_536_000_000):
                yield f"{at}.duration", "must be 0 to 31536000000 milliseconds"
        elif fault := mapping_fault(duration):
            yield f"{at}.duration", fault
        return
    date = entry["date"]
    if isinstance(date, str):
        try:
            datetime.fromisoformat(date)
        except ValueError:
            if fault := mapping_fault(date):
                yield f"{at}.date", fault
    elif fault := mapping_fault(date):
        yield f"{at}.date", fault


class _Numbered:
    """Gives generated ids to the nodes that have none."""

    def __init__(self, workflow_id: str) -> None:
        self.workflow_id, self.counts = workflow_id, Counter[str]()

    def all(self, entries: list[Any]) -> list[dict[str, Any]]:
        """The entries with ids."""
        return [self.one(entry) for entry in entries]

    def one(self, entry: Written) -> dict[str, Any]:
        """The entry with an id, and those in it."""
        made = dict(entry)
        if prefix := _PREFIXES.get(made["type"]):
            made.setdefault("id", f"{prefix}_{self.workflow_id[: ID_CHARACTERS - 16]}_{self.counts[prefix]}")
            self.counts[prefix] += 1
        if "steps" in made:
            made["steps"] = self.all(made["steps"])
        return made


def _twice(steps: list[dict[str, Any]], at: str) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for place, name in _ids(steps, at):
        if name == "input":
            yield place, "is a word of its own in run records; choose another id"
        elif name in seen:
            yield place, f"is the id {name} again, as at {seen[name]}"
        seen.setdefault(name, place)


def _ids(steps: list[dict[str, Any]], at: str) -> Iterator[tuple[str, str]]:
    for index, entry in enumerate(steps):
        yield from _ids_of(entry, f"{at}.{index}")


def _ids_of(entry: Written, at: str) -> Iterator[tuple[str, str]]:
    match entry["type"]:
        case "step":
            yield f"{at}.step.id", entry["step"]["id"]
        case "foreach" | "loop":
            yield from _ids_of(entry["step"], f"{at}.step")
        case _ if "id" in entry:
            yield f"{at}.id", entry["id"]
    yield from _ids(entry.get("steps", []), f"{at}.steps")


def _counted(steps: list[dict[str, Any]]) -> Iterator[int]:
    for entry in steps:
        yield 0 if entry["type"] == "parallel" else 1
        yield from _counted(entry.get("steps", []))
