"""What a step sees of its run, and how it stops it: suspended for a person, or ended early."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn

from identity.principal import Principal


class Suspended(Exception):
    """The step waits for a person; `label` is a name to resume it by."""

    def __init__(self, payload: Any, label: str | None) -> None:
        super().__init__("suspended")
        self.payload, self.label = payload, label


class Bailed(Exception):
    """The workflow ends here, successfully."""

    def __init__(self, result: Any) -> None:
        super().__init__("bailed")
        self.result = result


class StepFailed(Exception):
    """A failure whose sentence the owner of the run may read; every other exception stays in the log."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(slots=True)
class StepContext:
    """Handed to step functions that take a second argument.

    `idempotency_key` is the same whenever this step is carried out again: pass it to whatever outside must happen once.
    """

    principal: Principal
    workflow_id: str
    run_id: str
    step_id: str
    path: str
    init_data: Any
    idempotency_key: str
    retry_count: int = 0
    resume_data: Any = None
    suspend_payload: Any = None
    iteration_count: int = 0
    deadline: datetime | None = None
    request_context: Mapping[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def is_stopped(self) -> bool:
        """Whether the run was canceled or taken over: a long step looks, and returns."""
        return self.stopped.is_set()

    def get_step_result(self, step_id: str) -> Any:
        """The output of a step that has succeeded, or None."""
        return self.results.get(step_id)

    def set_state(self, **values: Any) -> None:
        """Change values of the run's state; kept together with this step's output."""
        self.state.update(values)
        self.changes.update(values)

    def suspend(self, payload: Any = None, *, label: str | None = None) -> NoReturn:
        """Stop here until somebody resumes the run; the step then begins anew, with `resume_data`."""
        raise Suspended(payload, label)

    def bail(self, result: Any = None) -> NoReturn:
        """End the workflow with this result and the status success."""
        raise Bailed(result)
