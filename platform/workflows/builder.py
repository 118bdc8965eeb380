"""Workflows written in Python: the same graph as a stored one, put together call by call."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Self

from pydantic import TypeAdapter

from workflows import code
from workflows.functions import Named, StepFunction, register
from workflows.ids import check_id

Entry = dict[str, Any]
Test = Callable[..., Any] | dict[str, Any]  # a condition: a function of the input, or a predicate


class Ref:
    """A step carried out by an agent or a tool."""

    def __init__(self, kind: str, ref: str, id: str | None) -> None:  # noqa: A002  (the word of the field)
        self.kind, self.ref, self.id = kind, ref, check_id(id or ref)


def agent(slug: str, *, id: str | None = None) -> Ref:  # noqa: A002
    """A step that says its input to an agent: a text, or {prompt}; its output is {text}."""
    return Ref("agent", slug, id)


def tool(slug: str, *, id: str | None = None) -> Ref:  # noqa: A002
    """A step that calls a tool with its input."""
    return Ref("tool", slug, id)


class Workflow:
    """A workflow under construction: each call adds a node and answers the workflow itself. Numbers are seconds."""

    def __init__(self, id: str, **options: Any) -> None:  # noqa: A002
        self.id = check_id(id)
        self.options = options
        self.steps: list[Entry] = []
        self.nested: list[Workflow] = []
        self._functions = 0

    def then(self, part: Any, **options: Any) -> Self:
        """The step after what came before. Options: id, input (a mapping), retries, retry_delay, timeout."""
        return self._add(self._leaf(part, options))

    def parallel(self, parts: Sequence[Any]) -> Self:
        """All of these at once; the output has each one's under its id."""
        return self._add({"type": "parallel", "steps": [self._leaf(part) for part in parts]})

    def branch(self, arms: Sequence[tuple[Test, Any]]) -> Self:
        """Each of these whose condition holds; the output has each one's that ran under its id."""
        return self._add({
            "type": "conditional",
            "conditions": [self._condition(test) for test, _ in arms],
            "steps": [self._leaf(part) for _, part in arms],
        })  # fmt: skip

    def foreach(self, part: Any, *, concurrency: int = 1, **options: Any) -> Self:
        """The step for each item of the input, an array; the output is the array of theirs."""
        opts = {"concurrency": concurrency}
        return self._add({"type": "foreach", "step": self._leaf(part, options), "opts": opts})

    def do_while(self, part: Any, test: Test, **options: Any) -> Self:
        """The step, again on its own output while the condition holds of it."""
        return self._loop(part, test, "dowhile", options)

    def do_until(self, part: Any, test: Test, **options: Any) -> Self:
        """The step, again on its own output until the condition holds of it."""
        return self._loop(part, test, "dountil", options)

    def sleep(self, duration: float | timedelta | str | Callable[..., Any]) -> Self:
        """Nothing for so many seconds. A text maps to milliseconds, a function of the input answers them."""
        match duration:
            case timedelta():
                value: Any = duration / timedelta(milliseconds=1)
            case int() | float():
                value = duration * 1000
            case _:
                value = self._mapping(duration)
        return self._add({"type": "sleep", "duration": int(value) if isinstance(value, float) else value})

    def sleep_until(self, date: datetime | str | Callable[..., Any]) -> Self:
        """Nothing until then: a date, a mapping to one, or a function of the input that answers it."""
        value = date.isoformat() if isinstance(date, datetime) else self._mapping(date)
        return self._add({"type": "sleepUntil", "date": value})

    def map(self, mapping: Any) -> Self:
        """The input in another shape: a mapping in JMESPath, or a function of the input."""
        return self._add({"type": "mapping", "mapping": self._mapping(mapping)})

    def written(self) -> dict[str, Any]:
        """The graph as a stored one is written."""
        graph: dict[str, Any] = {"steps": self.steps}
        for name in ("input", "output"):
            if (kind := self.options.get(name)) is not None:
                graph[f"{name}Schema"] = kind if isinstance(kind, dict) else TypeAdapter(kind).json_schema()
        if retries := self.options.get("retries"):
            graph["retries"] = {"attempts": retries, "delay": self.options.get("retry_delay", 0) * 1000}
        if deadline := self.options.get("deadline"):
            graph["deadline"] = deadline.total_seconds() if isinstance(deadline, timedelta) else deadline
        return graph

    def _add(self, entry: Entry) -> Self:
        self.steps.append(entry)
        return self

    def _loop(self, part: Any, test: Test, kind: str, options: dict[str, Any]) -> Self:
        return self._add({
            "type": "loop", "step": self._leaf(part, options), "condition": self._condition(test), "loopType": kind,
        })  # fmt: skip

    def _leaf(self, part: Any, options: dict[str, Any] | None = None) -> Entry:
        options = dict(options or {})
        name, mapping = options.pop("id", None), options.pop("input", None)
        mapped = {} if mapping is None else {"input": self._mapping(mapping)}
        if isinstance(part, Workflow):
            if options:
                raise TypeError(f"A workflow inside another takes no {', '.join(options)}.")
            self.nested.append(part)
            return {"type": "workflow", "id": check_id(name or part.id), "workflowId": part.id, **mapped}
        step: Entry = {"id": check_id(name or part.id), **mapped}
        if isinstance(part, Named):
            part = part.function
        if isinstance(part, StepFunction):
            step |= {"function": part.id} | ({"description": part.description} if part.description else {})
        elif isinstance(part, Ref):
            step |= {part.kind: part.ref}
        else:
            raise TypeError(
                f"{part!r} is no step: use a function declared with @step, agent(…), tool(…) or a workflow."
            )
        for given, shown in (("retries", "retries"), ("retry_delay", "retryDelay"), ("timeout", "timeout")):
            if (value := options.pop(given, None)) is not None:
                step[shown] = value
        if options:
            raise TypeError(f"A step takes no {', '.join(options)}.")
        return {"type": "step", "step": step}

    def _condition(self, test: Test) -> dict[str, Any]:
        return test if isinstance(test, dict) else self._registered(test)

    def _mapping(self, mapping: Any) -> Any:
        return self._registered(mapping) if callable(mapping) else mapping

    def _registered(self, call: Callable[..., Any]) -> dict[str, Any]:
        name = f"{self.id}/{self._functions}"
        self._functions += 1
        register(StepFunction(name, call))
        return {"function": name}


def workflow(
    id: str,  # noqa: A002
    *,
    input: Any = None,  # noqa: A002
    output: Any = None,
    name: str = "",
    description: str = "",
    retries: int = 0,
    retry_delay: float = 0,
    deadline: float | timedelta | None = None,
    version: str = "",
) -> Workflow:
    """Begin a workflow; every tenant has it while its module is in WORKFLOW_MODULES.

    `input` and `output`: a type or a JSON Schema. `retries` and `retry_delay` (seconds) hold for steps that have
    none of their own. `deadline`: how long a run may be under way, in seconds. With a `version`, runs of it
    go on although the code of functions changed; without one every change of code stops them.
    """
    made = Workflow(
        id, input=input, output=output, name=name, description=description, retries=retries, retry_delay=retry_delay,
        deadline=deadline, version=version,
    )  # fmt: skip
    code.register(made)
    return made
