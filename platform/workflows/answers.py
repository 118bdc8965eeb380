"""Runs in the shapes that callers read."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from workflows.dates import iso
from workflows.definitions import Definition
from workflows.models import WorkflowRun
from workflows.paths import names, parts
from workflows.records import BAILED, CANCELED, FAILED, RESUMED, RUNNING, SUCCESS, SUSPENDED, WAITING, Record
from workflows.shapes import step_graph

FIELDS = ("result", "error", "payload", "steps", "activeStepsPath", "serializedStepGraph")
Body = dict[str, Any]
Records = Mapping[str, Record]

_ACTIVE = frozenset({RUNNING, RESUMED, WAITING})
_SHOWN = {RESUMED: RUNNING, BAILED: SUCCESS}


def started(run: WorkflowRun, records: Records) -> Body:
    """The answer of start and resume: how far the run has come."""
    found = in_order(records)
    body: Body = {
        "status": run.status,
        "runId": run.run_id,
        "steps": {"input": run.input, **shown_steps(run, found, nested=False)},
        "input": run.input,
        "stepExecutionPath": [".".join(names(record.path)) for record in found if _is_own(record)],
        "traceId": run.trace_id,
    }
    if run.status == SUCCESS:
        body["result"] = run.result
    if run.status == FAILED:
        body["error"] = run.error
    if waiting := [
        record for record in found if record.status == SUSPENDED and run.status not in ("canceled", FAILED, SUCCESS)
    ]:
        body["suspended"] = suspended_paths(waiting)
        body["suspendPayload"] = suspend_payload(waiting)
    return body


def _is_own(record: Record) -> bool:
    """Not one of the records that stand for a foreach or a loop as a whole; its items and iterations are listed."""
    last = parts(record.path)[-1]
    return last.item is not None or last.iteration is not None or not _is_group(record)


def _is_group(record: Record) -> bool:
    return bool(record.metadata and ("iterationCount" in record.metadata or "itemCount" in record.metadata))


def full(run: WorkflowRun, definition: Definition, records: Records, fields: Iterable[str], *, nested: bool) -> Body:
    """The whole run, or the chosen fields of it beside what is always there."""
    body: Body = {
        "runId": run.run_id,
        "workflowName": definition.workflow_id,
        "createdAt": iso(run.created_at),
        "updatedAt": iso(run.updated_at),
        "status": run.status,
        "resourceId": run.resource_id,
    }
    if run.initial_state is not None:
        body["initialState"] = run.initial_state
    chosen = list(fields)
    found = in_order(records)
    more = _more(run, definition, found, nested=nested)
    if not chosen:
        return body | more
    return body | {name: more[name] for name in chosen if name in more}


def _more(run: WorkflowRun, definition: Definition, found: list[Record], *, nested: bool) -> Body:
    more: Body = {}
    if run.status == SUCCESS:
        more["result"] = run.result
    if run.error is not None:
        more["error"] = run.error
    more |= {
        "payload": run.input,
        "steps": shown_steps(run, found, nested=nested),
        "activeStepsPath": _index_paths(definition, found, _ACTIVE) if run.status in _ACTIVE else {},
        "serializedStepGraph": step_graph(definition.body),
        "suspendedPaths": _index_paths(definition, found, {SUSPENDED}) if not run.is_over else {},
        "resumeLabels": _labels(found) if not run.is_over else {},
        "waitingPaths": _index_paths(definition, found, {WAITING}) if not run.is_over else {},
    }
    if run.state is not None:
        more["state"] = run.state
    return more


def in_order(records: Records) -> list[Record]:
    """The records as the steps began."""
    return sorted(records.values(), key=lambda record: (record.position, record.path))


def shown_steps(run: WorkflowRun, found: list[Record], *, nested: bool) -> Body:
    """Each step under its id, those of nested workflows as `outer.inner`; a loop shows its last iteration."""
    shown: Body = {}
    items: dict[str, list[tuple[int, Record]]] = {}
    inside: dict[str, list[Record]] = {}
    for record in found:
        way = parts(record.path)
        last = way[-1]
        for depth in range(1, len(way)):
            inside.setdefault(".".join(part.name for part in way[:depth]), []).append(record)
        name = ".".join(names(record.path))
        if len(way) > 1 and not nested:
            continue
        if last.item is not None:
            items.setdefault(name, []).append((last.item, record))
        elif last.iteration is not None:
            shown[name] = {**shown.get(name, {}), **_record(record), "iterations": last.iteration}
        elif name not in shown or "iterations" not in shown[name]:
            shown[name] = _record(record)
    for name, several in items.items():
        shown[name] = _foreach(
            run, shown.get(name, {}), [record for _, record in sorted(several, key=lambda pair: pair[0])]
        )
    for name, below in inside.items():
        if name in shown and shown[name]["status"] == RUNNING:
            shown[name] |= _outer(run, below)
    if run.is_over:
        broken = {".".join(names(record.path)) for record in found if record.status == FAILED}
        for name, body in shown.items():
            if body["status"] in (RUNNING, WAITING, SUSPENDED):
                has_failed = any(path == name or path.startswith(f"{name}.") for path in broken)
                body["status"] = FAILED if has_failed else CANCELED
    return shown


def _record(record: Record) -> Body:
    body: Body = {"status": _SHOWN.get(record.status, record.status), "payload": record.input}
    if record.is_done:
        body["output"] = record.output
    for name, value in (
        ("error", record.error),
        ("suspendPayload", record.suspend_payload),
        ("resumePayload", record.resume_payload),
    ):
        if value is not None:
            body[name] = value
    if record.attempts > 1:
        body["attempts"] = record.attempts
    if metadata := {name: value for name, value in (record.metadata or {}).items() if name != "label"}:
        body["metadata"] = metadata
    return body | _times(record)


def _times(record: Record) -> Body:
    moments: tuple[tuple[str, datetime | None], ...] = (
        ("startedAt", record.started_at),
        ("suspendedAt", record.suspended_at),
        ("resumedAt", record.resumed_at),
        ("wakeAt", record.wake_at if record.status == WAITING else None),
        ("endedAt", record.ended_at),
    )
    return {name: iso(moment) for name, moment in moments if moment is not None}


def _foreach(run: WorkflowRun, body: Body, several: list[Record]) -> Body:
    """A foreach as one step: what became of each item stands in the metadata."""
    shown = {**body, "metadata": {**body.get("metadata", {}), "items": [_record(record) for record in several]}}
    waiting = [record for record in several if record.status == SUSPENDED]
    if waiting and body.get("status") == RUNNING and not run.is_over:
        shown |= {"status": SUSPENDED, "suspendPayload": suspend_payload(waiting)[waiting[0].step_id]}
    return shown


def _outer(run: WorkflowRun, inner: list[Record]) -> Body:
    """A nested workflow is what the steps in it are."""
    waiting = [record for record in inner if record.status == SUSPENDED]
    active = any(
        record.status in (RUNNING, RESUMED) and not any(other.path.startswith(record.path + ".") for other in inner)
        for record in inner
    )
    if run.is_over or active or not waiting:
        return {}
    payload = suspend_payload(waiting)
    return {"status": SUSPENDED, "suspendPayload": next(iter(payload.values()))}


def suspended_paths(waiting: Iterable[Record]) -> list[list[str]]:
    """The steps that wait for a person, a foreach once."""
    return [list(path) for path in dict.fromkeys(names(record.path) for record in waiting)]


def suspend_payload(waiting: list[Record]) -> Body:
    """What the suspended steps ask, by the outermost step; for the items of a foreach an array by index."""
    payload: Body = {}
    for record in waiting:
        first = parts(record.path)[0]
        if first.item is None:
            payload.setdefault(first.name, record.suspend_payload)
            continue
        several = payload.setdefault(first.name, [])
        several += [None] * (first.item + 1 - len(several))
        several[first.item] = record.suspend_payload
    return payload


def _labels(found: list[Record]) -> Body:
    labels: Body = {}
    for record in found:
        if record.status == SUSPENDED and (label := (record.metadata or {}).get("label")):
            item = parts(record.path)[0].item
            labels[label] = {"stepId": parts(record.path)[0].name, **({} if item is None else {"foreachIndex": item})}
    return labels


def _index_paths(definition: Definition, found: list[Record], statuses: Collection[str]) -> Body:
    """Top-level step → its place in the graph, for steps that have come to one of these."""
    places = _places(definition)
    hit = [parts(record.path)[0].name for record in found if record.status in statuses]
    return {name: places[name] for name in dict.fromkeys(hit) if name in places}


def _places(definition: Definition) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for index, entry in enumerate(definition.body["steps"]):
        if entry["type"] in ("parallel", "conditional"):
            for inner, child in enumerate(entry["steps"]):
                places[_entry_id(child)] = [index, inner]
        else:
            places[_entry_id(entry)] = [index]
    return places


def _entry_id(entry: Mapping[str, Any]) -> str:
    if entry["type"] in ("foreach", "loop"):
        return _entry_id(entry["step"])
    return str(entry["step"]["id"] if entry["type"] == "step" else entry["id"])
