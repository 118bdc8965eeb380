"""Inputs and answers of the workflow routes; help texts are the one text for OpenAPI and tools."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from api.pagination import PageAnswer, PageQuery
from api.serializers import CamelSerializer, Flag, Json, Text, Whole
from workflows.answers import FIELDS
from workflows.models import RUN_ID_CHARACTERS

STATUSES = (
    "running", "waiting", "suspended", "success", "failed", "canceled", "pending", "bailed", "tripwire", "paused",
    "skipped",
)  # fmt: skip


class WorkflowListQuery(CamelSerializer):
    """Which workflows to list."""

    partial = Text(required=False, help_text="true leaves out steps and schemas.")  # type: ignore[assignment]
    query = Text(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Only workflows whose id or name contains this text, in any case.",
    )


class WorkflowAnswer(CamelSerializer):
    """One workflow."""

    open_keys = True

    id = Text(help_text="The workflow's id.")
    name = Text(help_text="What people call it.")
    description = Text(allow_blank=True, help_text="What it is for.")
    origin = Text(help_text="code or dynamic.")
    steps = serializers.DictField(help_text="Its steps by id.")
    step_graph = serializers.ListField(child=serializers.DictField(), help_text="The graph.")


class StartQuery(CamelSerializer):
    """Under which id to start."""

    run_id = Text(
        required=False,
        max_length=RUN_ID_CHARACTERS,
        help_text="An id of your own for the run: the same call again gives the same run, and starts no second one.",
    )


class OneContext(CamelSerializer):
    """Fields that start and resume share."""

    request_context = serializers.DictField(required=False, help_text="Facts for the steps; kept with the run.")
    tracing_options = serializers.DictField(required=False, help_text="Options of tracing.")
    per_step = Flag(required=False, default=False, help_text="Pause after one step.")


class StartBody(OneContext):
    """What to start a run with."""

    input_data = Json(required=False, allow_null=True, help_text="The input, as the workflow's input schema says.")
    initial_state = serializers.DictField(required=False, help_text="The state that steps begin with.")
    resource_id = Text(required=False, max_length=200, help_text="Whose run it is; leave it out for your own.")


class StepPath(Json):
    """A step id, or an array of ids on the way to it; a number after an id names one item of a foreach."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str) and data:
            return list(data.split("."))
        if (
            isinstance(data, list)
            and data
            and all(isinstance(part, str | int) and not isinstance(part, bool) for part in data)
        ):
            return data
        raise ValidationError(
            "must be a step id, or an array of step ids, each followed by an item's number if one is meant"
        )


class ResumeQuery(CamelSerializer):
    """Which run to resume."""

    run_id = Text(max_length=RUN_ID_CHARACTERS, help_text="The run's id.")


class ResumeBody(OneContext):
    """What to resume a run with."""

    step = StepPath(
        required=False,
        allow_null=True,
        help_text='The suspended step: its id, or a path such as ["inner", "approve"] or ["each", 2]. '
        "Not needed when only one waits.",
    )
    label = Text(  # type: ignore[assignment]
        required=False, allow_null=True, max_length=200, help_text="The label that the step was suspended under."
    )
    resume_data = Json(required=False, allow_null=True, help_text="What the step waits for.")
    for_each_index = Whole(
        required=False, allow_null=True, min_value=0, source="item", help_text="Resume only this item of a foreach."
    )


class ProgressAnswer(CamelSerializer):
    """How far a run has come."""

    open_keys = True

    status = Text(help_text="running, suspended, paused, success, failed or canceled.")
    run_id = Text(help_text="The run's id.")


class RunQuery(CamelSerializer):
    """Which parts of a run."""

    fields_ = Text(
        required=False,
        allow_blank=True,
        max_length=300,
        source="chosen",
        help_text="Only these, with commas between them: result, error, payload, steps, activeStepsPath.",
    )
    with_nested_workflows = serializers.ChoiceField(
        required=False,
        choices=["true", "false"],
        default="true",
        help_text="false leaves out the steps of nested workflows.",
    )

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        """Known names only."""
        chosen = [name.strip() for name in values.get("chosen", "").split(",") if name.strip()]
        if set(chosen) - set(FIELDS):
            raise ValidationError({"fields": f"Invalid field name. Available fields: {', '.join(FIELDS)}"})
        return {**values, "chosen": chosen}


class RunAnswer(CamelSerializer):
    """One run."""

    open_keys = True

    run_id = Text(help_text="The run's id.")
    workflow_name = Text(help_text="The workflow's id.")
    created_at = Text(help_text="When it was started.")
    updated_at = Text(help_text="When it last changed.")
    status = Text(help_text="Where it stands.")


class RunsQuery(PageQuery):
    """Which runs to list."""

    status = serializers.ChoiceField(required=False, choices=STATUSES, help_text="Only runs that stand there.")
    resource_id = Text(required=False, max_length=200, help_text="Only runs of this owner.")
    from_date = serializers.DateTimeField(required=False, help_text="Only runs started then or later.")
    to_date = serializers.DateTimeField(required=False, help_text="Only runs started then or earlier.")


class RunsAnswer(PageAnswer):
    """A page of runs, the newest first."""

    runs = serializers.ListField(child=serializers.DictField())


class StreamQuery(CamelSerializer):
    """From where to hear."""

    cursor = Text(required=False, max_length=40, help_text="The id of the last event that was heard.")


class CountsAnswer(CamelSerializer):
    """How many runs stand where."""

    open_keys = True

    total = Whole(help_text="All of them.")
    counts = serializers.DictField(child=Whole(), help_text="By status.")


class CancelAnswer(CamelSerializer):
    """Done."""

    message = Text(help_text="What happened.")
