"""Which suspended steps a caller means, and whether the data fits them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from durable.models import OVER
from ground.errors import Conflict, InvalidInput
from workflows.definitions import Definition
from workflows.functions import StepFunction, function
from workflows.models import WorkflowRun
from workflows.paths import matches, names, parts
from workflows.records import SUSPENDED, Record

NOT_SUSPENDED = "This workflow run was not suspended"


def chosen(
    run: WorkflowRun,
    kept: Mapping[str, Record],
    *,
    step: Sequence[str | int] | None,
    label: str | None,
    item: int | None,
) -> list[Record]:
    """The records to resume: those of one step, of all its suspended items or of one."""
    records = list(kept.values())
    waiting = [record for record in records if record.status == SUSPENDED] if run.status not in OVER else []
    if not waiting:
        raise Conflict(NOT_SUSPENDED)
    found = waiting
    if label is not None:
        found = [record for record in found if (record.metadata or {}).get("label") == label]
        if not found:
            raise InvalidInput(f"No suspended step has the label {label[:100]!r}. {_available(waiting)}")
    if step is not None:
        found = [record for record in found if matches(record.path, step)]
        if not found:
            _refuse(step, records, waiting)
    if item is not None:
        found = [record for record in found if item in (part.item for part in parts(record.path))]
        if not found:
            raise InvalidInput(f"Item {item} is not suspended. {_available(waiting)}")
    if len({names(record.path) for record in found}) > 1:
        listed = ", ".join(f"[{name}]" for name in dict.fromkeys(_shown(record) for record in found))
        raise InvalidInput(
            f'Multiple suspended steps found: {listed}. Please specify which step to resume using the "step" parameter.'
        )
    return found


def _refuse(step: Sequence[str | int], records: Sequence[Record], waiting: Sequence[Record]) -> None:
    name = ".".join(map(str, step))[:200]
    sentence = f'This workflow step "{name}" was not suspended. {_available(waiting)}'
    if any(matches(record.path, step) for record in records):
        raise Conflict(sentence)
    raise InvalidInput(sentence)


def _shown(record: Record) -> str:
    return ".".join(names(record.path))


def _available(waiting: Sequence[Record]) -> str:
    return f"Available suspended steps: [{', '.join(dict.fromkeys(map(_shown, waiting)))}]"


def fitting(definition: Definition, resumed: Sequence[Record], data: Any) -> Any:
    """The data as the step takes it; InvalidInput when it does not fit, and the run stays suspended."""
    for record in resumed:
        found = _function_at(definition.body, names(record.path))
        if found is None or found.resumes_with is None:
            continue
        try:
            data = found.resumes_with.dump_python(found.resumes_with.validate_python(data), mode="json")
        except ValidationError as failure:
            faults = failure.errors(include_url=False)[:20]
            lines = [f"- {'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults]
            raise InvalidInput("Invalid resume data: \n" + "\n".join(lines)) from None
    return data


def _function_at(body: Mapping[str, Any], way: Sequence[str]) -> StepFunction | None:
    """The function of the step that these ids lead to."""
    for entry in body["steps"]:
        for child in entry["steps"] if entry["type"] in ("parallel", "conditional") else [entry]:
            leaf = child["step"] if child["type"] in ("foreach", "loop") else child
            if leaf["type"] == "workflow" and leaf["id"] == way[0] and len(way) > 1:
                return _function_at(leaf["body"], way[1:])
            if leaf["type"] == "step" and leaf["step"]["id"] == way[0]:
                return function(leaf["step"].get("function", ""))
    return None
