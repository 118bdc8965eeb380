"""Every event that there is. Events carry ids and small facts; whoever wants more asks again by the routes."""

from typing import Literal, TypedDict


class RunEvent(TypedDict):
    """A run of a workflow has another status; `at` is an ISO time with milliseconds, `key` names the run for good."""

    type: Literal["workflow.run.started", "workflow.run.suspended", "workflow.run.waiting", "workflow.run.finished"]
    at: str
    workflowId: str
    runId: str
    key: str
    status: str


class StepEvent(TypedDict):
    """A step of a run has begun, or has come to something."""

    type: Literal["workflow.step.started", "workflow.step.finished"]
    at: str
    workflowId: str
    runId: str
    key: str
    status: str
    stepId: str
    path: str


class Reset(TypedDict):
    """Not everything that happened can be told any more: ask again for whatever is shown."""

    type: Literal["reset"]


Event = RunEvent | StepEvent
Told = Event | Reset
RESET: Reset = {"type": "reset"}
