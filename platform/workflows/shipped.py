"""Step functions that every stored graph may name."""

from typing import Any

from pydantic import BaseModel, Field

from workflows.context import StepContext, StepFailed
from workflows.functions import step


class Decision(BaseModel):
    """What a person answers."""

    approved: bool = Field(description="Whether it may go on.")
    comment: str = Field("", max_length=2000, description="Why, for those who read the run later.")


@step(resume=Decision)
def approval(data: Any, context: StepContext) -> Any:
    """Wait until a person approves or declines; the output is the input with the decision added."""
    if context.resume_data is None:
        context.suspend({"question": "Approve?", "about": data}, label="approval")
    decision = Decision.model_validate(context.resume_data)
    return {"input": data, "approved": decision.approved, "comment": decision.comment}


@step
def fail(data: Any) -> Any:
    """Fail the run with the input as its sentence: for branches that must not go on."""
    raise StepFailed(str(data)[:500])
