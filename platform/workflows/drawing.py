"""A workflow's graph as an accessible SVG: laid out here, coloured by the classes of drawing.css."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import escape

Entry = Mapping[str, Any]
Paint = Callable[[int, int], Iterator[str]]

# Pixels. Labels are set in a typeface of one width, so that they are measured by counting.
GLYPH = 7.3
HEIGHT, NARROWEST, LONGEST_LABEL = 40, 112, 26
FLOW_GAP, LANE_GAP, FORK, JOIN, MARGIN = 26, 24, 34, 26, 16
FRAME_SIDE, FRAME_TOP, FRAME_BOTTOM = 20, 46, 18
RETURN_SIDE, RETURN_BOTTOM = 34, 28
CONDITION_HEIGHT = 22

# How a status looks: the states that the style sheet knows, each with a sign, so that colour never stands alone.
SIGNS = {
    "success": "✓", "failed": "✕", "suspended": "‖", "waiting": "…", "running": "▸", "canceled": "■", "skipped": "↷",
    "unreached": "",
}  # fmt: skip
LOOKS = {"bailed": "success", "tripwire": "failed", "paused": "suspended", "pending": "unreached", "resumed": "running"}
SAID = {"unreached": "not reached"}

COMPARED = {"eq": "=", "ne": "≠", "lt": "<", "lte": "≤", "gt": ">", "gte": "≥"}
SPOKEN = {
    "in": "in", "notIn": "not in", "exists": "exists", "notExists": "does not exist", "includes": "includes",
    "notIncludes": "does not include",
}  # fmt: skip

MARKS = {
    "step": "M8 3.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9",
    "agent": "M3 6.5h10v7h-10zM8 6.5v-3M6.5 2.5h3M6 9.5v1M10 9.5v1",
    "tool": "M13.5 4.8l-2.4 2.4-2.3-2.3 2.4-2.4a3.8 3.8 0 0 0-4.9 4.9l-4.1 4.1 2.4 2.4 4.1-4.1a3.8 3.8 0 0 0 4.8-5z",
    "classifier": "M2.5 3.5h11l-4 5v4.5l-3-1.5v-3z",
    "workflow": "M5.5 2.5h5v3.5h-5zM2 10h4.5v3.5h-4.5zM9.5 10h4.5v3.5h-4.5zM8 6v2M4.2 10v-2h7.6v2",
    "mapping": "M2.5 5.5h10M10 3l2.5 2.5-2.5 2.5M13.5 10.5h-10M6 8l-2.5 2.5 2.5 2.5",
    "sleep": "M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12M8 4.8v3.4l2.4 1.6",
    "pause": "M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12M6.3 5.8v4.4M9.7 5.8v4.4",
}


@dataclass(frozen=True, slots=True)
class Box:
    """Something with a size that paints itself from its upper left corner; the flow enters and leaves in its middle."""

    width: int
    height: int
    paint: Paint
    has_tip: bool = True  # whether the line that enters it ends in an arrow's tip


@dataclass(frozen=True, slots=True)
class Look:
    """What a node says of itself and how it is shaped."""

    kind: str
    label: str
    full: str
    height: int = HEIGHT
    can_suspend: bool = False


def draw(step_graph: Sequence[Entry], statuses: Mapping[str, str] | None = None) -> str:
    """The graph as one SVG. `statuses` holds what became of the steps, by dotted path such as `inner.approve`."""
    body = _Layout(statuses).flow(step_graph, "", ends=True)
    width, height = body.width + 2 * MARGIN, body.height + 2 * MARGIN
    paths = list(steps_of(step_graph))
    return "".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" class="workflow-drawing" role="img" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}"><title>{escape(_title(paths, statuses))}</title>'
        f"<desc>{escape(shortened(', '.join(paths), 2000))}</desc>",
        *body.paint(MARGIN, MARGIN),
        "</svg>",
    ))  # fmt: skip


def steps_of(step_graph: Sequence[Entry], prefix: str = "") -> Iterator[str]:
    """The dotted paths of everything that a run of the graph may record, in the order of the drawing."""
    for entry in step_graph:
        match entry["type"]:
            case "parallel" | "conditional":
                yield from steps_of(entry["steps"], prefix)
            case "loop" | "foreach":
                yield from steps_of([entry["step"]], prefix)
            case "workflow":
                yield prefix + id_of(entry)
                yield from steps_of(entry.get("serializedStepFlow", ()), f"{prefix}{id_of(entry)}.")
            case _:
                yield prefix + id_of(entry)


def id_of(entry: Entry) -> str:
    """The id under which a run records this entry."""
    return str(entry.get("step", entry).get("id", "")) if entry["type"] != "foreach" else id_of(entry["step"])


def shortened(text: str, longest: int) -> str:
    """The text on one line, cut to so many columns; wide letters take two."""
    line, width = " ".join(text.split()), 0
    for index, letter in enumerate(line):
        width += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if width > longest:
            return line[: index - 1] + "…"
    return line


def look_of(status: str) -> str:
    """The state of the style sheet that shows a status."""
    found = LOOKS.get(status, status)
    return found if found in SIGNS else "unreached"


def _title(paths: Sequence[str], statuses: Mapping[str, str] | None) -> str:
    said = "1 step" if len(paths) == 1 else f"{len(paths)} steps"
    looks = [look_of(statuses.get(path, "")) for path in paths] if statuses is not None else []
    counts = [f"{looks.count(look)} {SAID.get(look, look)}" for look in SIGNS if look in looks]
    return f"Graph of {said}" + (f": {', '.join(counts)}" if counts else "")


class _Layout:
    """Makes the boxes of entries, each knowing what became of it."""

    def __init__(self, statuses: Mapping[str, str] | None) -> None:
        self.statuses = statuses

    def flow(self, entries: Sequence[Entry], prefix: str, *, ends: bool = False) -> Box:
        """Entries one under the other."""
        boxes = [self.entry(entry, prefix) for entry in entries]
        return _column([_dot("start"), *boxes, _dot("end")] if ends else boxes or [_dot("empty")])

    def entry(self, entry: Entry, prefix: str) -> Box:
        """One entry of the graph, whatever it is."""
        match entry["type"]:
            case "parallel":
                return _row([self.entry(inner, prefix) for inner in entry["steps"]], "parallel")
            case "conditional":
                return self.branches(entry, prefix)
            case "foreach":
                at_once = entry.get("opts", {}).get("concurrency", 1)
                header = "for each, one at a time" if at_once == 1 else f"for each, {at_once} at a time"
                return _repeated(self.entry(entry["step"], prefix), "foreach", header, header)
            case "loop":
                word = "while" if entry.get("loopType") == "dowhile" else "until"
                fn = str(entry.get("serializedCondition", {}).get("fn", ""))
                header = f"repeat {word} {spoken_condition(fn)}"
                return _repeated(self.entry(entry["step"], prefix), "loop", header, f"repeat {word} {fn}")
            case "workflow":
                return self.nested(entry, prefix)
            case _:
                return self.node(entry, prefix)

    def branches(self, entry: Entry, prefix: str) -> Box:
        """Entries side by side, each under its condition."""
        conditions = [str(condition.get("fn", "")) for condition in entry.get("serializedConditions", ())]
        conditions += [""] * (len(entry["steps"]) - len(conditions))
        boxes = [self.entry(inner, prefix) for inner in entry["steps"]]
        return _row([_column([_condition(fn), box]) for fn, box in zip(conditions, boxes, strict=False)], "conditional")

    def nested(self, entry: Entry, prefix: str) -> Box:
        """A workflow inside the workflow."""
        path = prefix + id_of(entry)
        inner = self.flow(entry.get("serializedStepFlow", ()), f"{path}.")
        workflow_id = str(entry.get("workflowId", id_of(entry)))
        full = path if workflow_id == id_of(entry) else f"{path} (workflow {workflow_id})"
        frame = _frame(inner, id_of(entry), FRAME_SIDE, FRAME_BOTTOM, mark="workflow")
        return Box(frame.width, frame.height, self._marked(path, "workflow", full, frame.paint))

    def node(self, entry: Entry, prefix: str) -> Box:
        """A step, a mapping or a sleep."""
        path, look = prefix + id_of(entry), _look(entry, prefix)
        label = shortened(look.label, LONGEST_LABEL)
        width = _even(max(NARROWEST if look.height == HEIGHT else 0, _text_width(label) + 62 + 22 * look.can_suspend))
        radius = look.height // 2 if look.kind in ("sleep", "mapping") else 6
        sign = SIGNS[look_of(self.statuses.get(path, ""))] if self.statuses is not None else ""

        def paint(x: int, y: int) -> Iterator[str]:
            middle = y + look.height // 2
            yield f'<rect class="shape" x="{x}" y="{y}" width="{width}" height="{look.height}" rx="{radius}"/>'
            yield _mark(look.kind, x + 10, middle - 8)
            yield _text("label", x + 34, middle + 4, label)
            if look.can_suspend:
                yield _mark("pause", x + width - 46, middle - 8)
            if sign:
                yield _text("sign", x + width - 22, middle + 5, sign)

        return Box(width, look.height, self._marked(path, look.kind, look.full, paint))

    def _marked(self, path: str, kind: str, full: str, paint: Paint) -> Paint:
        """The same in a group that carries the path, the kind and the state."""
        status = self.statuses.get(path, "") if self.statuses is not None else None
        state = "" if status is None else f" is-{look_of(status)}"
        said = "" if status is None else f": {status or SAID['unreached']}"

        def grouped(x: int, y: int) -> Iterator[str]:
            yield f'<g class="node {kind}{state}" data-path="{escape(path)}"><title>{escape(full + said)}</title>'
            yield from paint(x, y)
            yield "</g>"

        return grouped


def _look(entry: Entry, prefix: str) -> Look:
    name = id_of(entry)
    match entry["type"]:
        case "mapping":
            config = entry.get("mapConfig", "")
            full = f"{prefix}{name}: {config if isinstance(config, str) else json.dumps(config)}"
            return Look("mapping", "map" if name.startswith("mapping_") else name, shortened(full, 1000), 28)
        case "sleep" | "sleepUntil":
            return Look("sleep", _pause_said(entry), prefix + name)
    step = entry.get("step", entry)
    kind = str(step.get("component") or entry["type"]).lower()
    about = step.get("description")
    full = f"{prefix}{name}" + (f" ({about})" if about else "")
    return Look(kind if kind in MARKS else "step", name, shortened(full, 1000), HEIGHT, bool(step.get("canSuspend")))


def _pause_said(entry: Entry) -> str:
    date, duration = str(entry.get("date") or ""), entry.get("duration")
    if re.match(r"\d{4}-\d\d-\d\d", date):
        return f"until {date[:16].replace('T', ' ')}"
    if isinstance(duration, int | float):
        return f"sleep {spoken(duration)}"
    return "until a computed time" if entry["type"] == "sleepUntil" else "sleep, computed"


def spoken(milliseconds: float) -> str:
    """A length of time as people say it, in at most two units."""
    if milliseconds < 1000:
        return f"{round(milliseconds, 1 if milliseconds < 10 else None):g} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.3g} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (seconds, "s")]
    first = next(index for index, (amount, _) in enumerate(parts) if amount)
    return " ".join(f"{amount} {unit}" for amount, unit in parts[first : first + 2] if amount)


def spoken_condition(fn: str) -> str:
    """A condition as people write it, where it is one of our predicates; other text stands as it is."""
    try:
        return _said(json.loads(fn))
    except (ValueError, KeyError, TypeError, AttributeError):
        return fn


def _said(node: Mapping[str, Any]) -> str:
    op = node["op"]
    if op in ("and", "or"):
        return f" {op} ".join(f"({_said(arg)})" if arg["op"] in ("and", "or") else _said(arg) for arg in node["args"])
    if op == "not":
        return f"not ({_said(node['arg'])})"
    if op in COMPARED:
        return f"{_operand(node['left'])} {COMPARED[op]} {_operand(node['right'])}"
    if op in ("in", "notIn"):
        return f"{_operand(node['value'])} {SPOKEN[op]} {json.dumps(node['set'])}"
    right = f" {json.dumps(node['value'])}" if "value" in node else ""
    return f"{node['path']} {SPOKEN[op]}{right}"


def _operand(side: Mapping[str, Any]) -> str:
    return str(side["path"]) if "path" in side else json.dumps(side["literal"], ensure_ascii=False)


def _column(boxes: Sequence[Box]) -> Box:
    width = max(box.width for box in boxes)
    height = sum(box.height for box in boxes) + FLOW_GAP * (len(boxes) - 1)

    def paint(x: int, y: int) -> Iterator[str]:
        middle = x + width // 2
        for index, box in enumerate(boxes):
            if index:
                yield _edge(f"M{middle} {y}V{y + FLOW_GAP}", tip=box.has_tip)
                y += FLOW_GAP
            yield from box.paint(middle - box.width // 2, y)
            y += box.height

    return Box(width, height, paint, has_tip=boxes[0].has_tip)


def _row(boxes: Sequence[Box], kind: str) -> Box:
    """Boxes side by side between a fork and a join."""
    width = sum(box.width for box in boxes) + LANE_GAP * (len(boxes) - 1)
    height = max(box.height for box in boxes)

    def paint(x: int, y: int) -> Iterator[str]:
        middle, bar, bottom = x + width // 2, y + FORK - 18, y + FORK + height + JOIN
        yield f'<g class="{kind}">'
        if kind == "conditional":
            yield f'<path class="fork" d="M{middle} {y}l8 8l-8 8l-8-8z"/>'
        for box in boxes:
            lane, top = x + box.width // 2, y + FORK
            yield _edge(f"M{middle} {bar - 16 * (kind == 'parallel')}V{bar}H{lane}V{top}", tip=box.has_tip)
            yield from box.paint(x, top)
            yield _edge(f"M{lane} {top + box.height}V{bottom - 10}H{middle}V{bottom}")
            x += box.width + LANE_GAP
        yield "</g>"

    return Box(width, FORK + height + JOIN, paint, has_tip=kind == "conditional")


def _frame(inner: Box, header: str, side: int, bottom: int, mark: str = "") -> Box:
    label = shortened(header, LONGEST_LABEL + 6)
    width = _even(max(inner.width + 2 * side, _text_width(label) + 24 + 22 * bool(mark)))
    height = FRAME_TOP + inner.height + bottom

    def paint(x: int, y: int) -> Iterator[str]:
        yield f'<rect class="frame" x="{x}" y="{y}" width="{width}" height="{height}" rx="10"/>'
        if mark:
            yield _mark(mark, x + 10, y + 7)
        yield _text("header", x + 12 + 22 * bool(mark), y + 19, label)
        middle, top = x + width // 2, y + FRAME_TOP
        yield _edge(f"M{middle} {top - 16}V{top}", tip=inner.has_tip)
        yield from inner.paint(middle - inner.width // 2, top)
        yield _edge(f"M{middle} {top + inner.height}V{y + height}")

    return Box(width, height, paint)


def _repeated(inner: Box, kind: str, header: str, full: str) -> Box:
    """A frame around what is repeated, with an arrow back to its beginning."""
    frame = _frame(inner, header, RETURN_SIDE, RETURN_BOTTOM)

    def paint(x: int, y: int) -> Iterator[str]:
        middle, top = x + frame.width // 2, y + FRAME_TOP
        right, low = middle + inner.width // 2, top + inner.height
        yield f'<g class="{kind}"><title>{escape(shortened(full, 1000))}</title>'
        yield from frame.paint(x, y)
        back = f"M{middle} {low + 12}H{right + 18}V{top - 12}H{middle + 2}"
        yield f'<path class="edge return" d="{back}m5 -4l-5 4l5 4"/></g>'

    return Box(frame.width, frame.height, paint)


def _condition(fn: str) -> Box:
    label = shortened(spoken_condition(fn), LONGEST_LABEL)
    width = _even(_text_width(label) + 20)

    def paint(x: int, y: int) -> Iterator[str]:
        yield f'<g class="condition"><title>{escape(shortened(fn, 1000))}</title>'
        yield f'<rect class="shape" x="{x}" y="{y}" width="{width}" height="{CONDITION_HEIGHT}" rx="11"/>'
        yield _text("label", x + 10, y + 15, label) + "</g>"

    return Box(width, CONDITION_HEIGHT, paint, has_tip=False)


def _dot(name: str) -> Box:
    return Box(12, 12, lambda x, y: iter((f'<circle class="{name}" cx="{x + 6}" cy="{y + 6}" r="5"/>',)))


def _edge(path: str, *, tip: bool = False) -> str:
    return f'<path class="edge" d="{path}{"m-4 -5l4 5l4 -5" if tip else ""}"/>'


def _mark(kind: str, x: int, y: int) -> str:
    return f'<path class="mark" transform="translate({x} {y})" d="{MARKS[kind]}"/>'


def _text(kind: str, x: int, y: int, text: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>'


def _text_width(text: str) -> int:
    return int(sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text) * GLYPH) + 1


def _even(width: int) -> int:
    return width + width % 2
