"""Functions that steps carry out: declared with `@step`, known by their id, typed by their annotations."""

import hashlib
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_type_hints, overload

from pydantic import TypeAdapter

from workflows.ids import check_id

Schema = dict[str, Any]
SLOW_SECONDS = 0.05  # what takes longer on the average is not carried out while a caller waits


class Duplicate(ValueError):
    """Two functions claim one id."""


@dataclass(eq=False)
class StepFunction:
    """A function with its schemas; calling it calls the function.

    `pure`: no effects, so that its record may be kept together with the next one. `transactional`: it runs in the
    transaction that keeps its output, so that what it does to our database happens exactly once.
    """

    id: str
    call: Callable[..., Any]
    resume: Any = None
    retries: int | None = None
    retry_delay: float | None = None
    timeout: float | None = None
    pure: bool = False
    transactional: bool = False
    slow: bool = False
    description: str = ""
    _seconds: float = field(default=0.0, repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)

    @property
    def is_async(self) -> bool:
        """Whether it is a coroutine function."""
        return inspect.iscoroutinefunction(self.call)

    @property
    def is_quick(self) -> bool:
        """Whether it may be carried out while a caller waits for the answer."""
        return not self.slow and self._seconds < SLOW_SECONDS

    def named(self, id: str) -> "Named":  # noqa: A002  (the word of the field)
        """This function as a step of another id, for a graph that has it more than once."""
        return Named(check_id(id), self)

    def took(self, seconds: float) -> None:
        """Learn how long it takes, as a moving average."""
        self._seconds += (seconds - self._seconds) / 4

    def timed(self, *args: Any) -> Any:
        """Call it, and learn how long it takes."""
        begun = time.perf_counter()
        try:
            return self.call(*args)
        finally:
            self.took(time.perf_counter() - begun)

    @cached_property
    def digest(self) -> str:
        """Of its code."""
        return hashlib.sha256(source_of(self.call).encode()).hexdigest()[:16]

    @cached_property
    def takes_context(self) -> bool:
        """Whether it takes a second argument."""
        return len(inspect.signature(self.call).parameters) > 1

    @cached_property
    def input(self) -> "TypeAdapter[Any]":
        """What it takes."""
        hints, names = get_type_hints(self.call), list(inspect.signature(self.call).parameters)
        return TypeAdapter(hints.get(names[0], Any) if names else Any)

    @cached_property
    def output(self) -> "TypeAdapter[Any]":
        """What it gives."""
        return TypeAdapter(get_type_hints(self.call).get("return", Any))

    @cached_property
    def resumes_with(self) -> "TypeAdapter[Any] | None":
        """What resuming it takes; None: anything."""
        return None if self.resume is None else TypeAdapter(self.resume)

    @cached_property
    def schemas(self) -> dict[str, Schema]:
        """As the API shows them."""
        shown = {"inputSchema": schema_of(self.input), "outputSchema": schema_of(self.output)}
        if self.resumes_with is not None:
            shown["resumeSchema"] = schema_of(self.resumes_with)
        return {name: schema for name, schema in shown.items() if schema}

    @cached_property
    def can_suspend(self) -> bool:
        """Whether its code says so."""
        return self.resume is not None or ".suspend(" in source_of(self.call)


@dataclass(frozen=True, slots=True)
class Named:
    """A function as a step with an id of its own."""

    id: str
    function: StepFunction


def schema_of(adapter: "TypeAdapter[Any]") -> Schema:
    """JSON Schema 2020-12 of a type."""
    return adapter.json_schema()


def source_of(call: Callable[..., Any]) -> str:
    """The text of a function, or of its bytecode where no text is kept."""
    try:
        return inspect.getsource(call)
    except (OSError, TypeError):
        code = getattr(call, "__code__", None)
        return f"{code.co_code.hex()}{code.co_consts}" if code is not None else repr(call)


_functions: dict[str, StepFunction] = {}


@overload
def step(function: Callable[..., Any], /) -> StepFunction: ...


@overload
def step(
    *,
    id: str | None = None,
    resume: Any = None,
    retries: int | None = None,
    retry_delay: float | None = None,
    timeout: float | None = None,
    pure: bool = False,
    transactional: bool = False,
    slow: bool = False,
) -> Callable[[Callable[..., Any]], StepFunction]: ...


def step(
    function: Callable[..., Any] | None = None,
    *,
    id: str | None = None,  # noqa: A002  (the word of the field)
    resume: Any = None,
    retries: int | None = None,
    retry_delay: float | None = None,
    timeout: float | None = None,
    pure: bool = False,
    transactional: bool = False,
    slow: bool = False,
) -> Any:
    """Declare a step function: `fn(data)` or `fn(data, context)`, plain or async.

    `resume` is the type of the data that resumes it; `retries` executions more after a failure, `retry_delay` seconds
    apart; `timeout` in seconds. An async function is stopped at its timeout; of a plain one the result is dropped.
    """

    def declare(call: Callable[..., Any]) -> StepFunction:
        name = check_id(id or call.__name__)
        text = inspect.cleandoc(call.__doc__ or "").partition("\n")[0]
        made = StepFunction(
            name, call, resume, retries, retry_delay, timeout, pure=pure, transactional=transactional, slow=slow,
            description=text,
        )  # fmt: skip
        return register(made)

    return declare(function) if function is not None else declare


def register(made: StepFunction) -> StepFunction:
    """Make a function known by its id; the same one again (a module loaded twice) takes its place."""
    known = _functions.get(made.id)
    if known is not None and (known.call.__module__, known.call.__qualname__) != (
        made.call.__module__,
        made.call.__qualname__,
    ):
        raise Duplicate(
            f"Two step functions are called {made.id}: one in {known.call.__module__}, one in {made.call.__module__}."
        )
    _functions[made.id] = made
    return made


def function(name: str) -> StepFunction | None:
    """The function of this id."""
    return _functions.get(name)


def known_functions() -> list[str]:
    """The ids of all functions that stored graphs may name."""
    return sorted(name for name in _functions if "/" not in name)


def digest(name: str) -> str:
    """Of a function's code: a run notices that it changed. Empty when there is no such function."""
    found = _functions.get(name)
    return "" if found is None else found.digest
