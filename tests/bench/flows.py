"""Workflows of trivial steps: what is measured is the engine."""

from typing import Any

from workflows.builder import workflow
from workflows.context import StepContext
from workflows.functions import step


@step(id="bench-add")
def add(data: int) -> int:
    """Add one."""
    return data + 1


@step(id="bench-double")
def double(data: int) -> int:
    """Twice as much."""
    return data * 2


@step(id="bench-less")
def less(data: int) -> int:
    """Take one away."""
    return data - 1


@step(id="bench-wait")
def wait(data: int, context: StepContext) -> Any:
    """Until somebody resumes it."""
    if context.resume_data is None:
        context.suspend()
    return context.resume_data


workflow("bench-three", input=int).then(add).then(double).then(less)
workflow("bench-each", input=list[int]).foreach(add)
workflow("bench-suspend", input=int).then(add).then(wait)
