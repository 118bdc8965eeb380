"""Inputs and answers of the agent routes; help texts are the one text for OpenAPI and tools."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from agents.input_messages import clean_json, read_messages, read_text
from agents.models import MOST_TAGS, TAG_CHARACTERS
from api.serializers import CamelSerializer, Flag, Json, Text, Whole
from conversations.models import ID_CHARACTERS


class AgentListQuery(CamelSerializer):
    """Which agents to list."""

    partial = Text(required=False, help_text="true leaves out the schemas of tools.")  # type: ignore[assignment]
    query = Text(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Only agents whose id or name contains this text, in any case.",
    )


class Refused(Json):
    """A key that other servers know and this one does not act on: said, never dropped."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            required=False, allow_null=True, help_text="Not supported: a request with it is refused.", **options
        )

    def to_internal_value(self, data: Any) -> Any:
        raise ValidationError(f"{self.field_name} is not supported by this server; leave it out")


class AgentQuery(CamelSerializer):
    """Nothing: there is one version of an agent."""

    status = Refused()
    version_id = Refused()


class AgentAnswer(CamelSerializer):
    """One agent."""

    open_keys = True

    id = Text(help_text="The agent's id.")
    name = Text(help_text="What people call it.")
    description = Text(allow_blank=True, help_text="What it is for.")
    instructions = Text(allow_null=True, help_text="Its system prompt; null for callers who may not read it.")
    tools = serializers.DictField(help_text="The tools it may use, by name.")
    provider = Text(help_text="The provider of its model.")
    model_id = Text(help_text="Its model, as the provider calls it.")
    supports_memory = Flag(help_text="Whether it keeps its conversations.")
    source = Text(help_text="code or stored.")  # type: ignore[assignment]
    department_id = Text(allow_null=True, help_text="The department whose members see it; null: the whole tenant.")
    visibility = Text(help_text="public or private.")
    enabled = Flag(help_text="Whether it can be called.")
    tags = serializers.ListField(child=Text(), help_text="Its tags.")


class AgentUpdateBody(CamelSerializer):
    """What to change; what is left out stays."""

    name = Text(required=False, max_length=200, help_text="A new name.")
    description = Text(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=10_000,
        help_text="A new description; null removes it.",
    )
    department_id = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="The id of the department whose members see it; null: the whole tenant.",
    )
    enabled = Flag(required=False, help_text="Whether it can be called.")
    tags = serializers.ListField(
        required=False,
        child=Text(max_length=TAG_CHARACTERS),
        max_length=MOST_TAGS,
        help_text="All its tags from now on.",
    )

    def validate_name(self, name: str) -> str:
        """A name that can be seen."""
        if not name.strip():
            raise ValidationError("must not be empty")
        return name


class Messages(Json):
    """A string, a message, or an array of both."""

    def to_internal_value(self, data: Any) -> Any:
        return read_messages(data)


class Prompt(Json):
    """A string, a message, or an array of both, read as one text."""

    def to_internal_value(self, data: Any) -> Any:
        return read_text(data)


class ThreadBody(CamelSerializer):
    """A thread by its id, with a title and metadata for the case that it is made."""

    id = Text(required=False, max_length=ID_CHARACTERS)
    title = Text(required=False, allow_blank=True, max_length=500)
    metadata = serializers.DictField(required=False)


class ThreadRef(Json):
    """A thread id, or an object with id, title and metadata."""

    def to_internal_value(self, data: Any) -> Any:
        return ThreadBody.shared().run_validation(clean_json({"id": data} if isinstance(data, str) else data))


class MemoryOptions(CamelSerializer):
    """How much is recalled."""

    last_messages = Whole(required=False, min_value=0, max_value=100, help_text="How many recent messages to recall.")


class MemoryBody(CamelSerializer):
    """The thread that a turn belongs to."""

    thread = ThreadRef(required=False, help_text="The thread's id, or {id, title, metadata}. Without it, a new thread.")
    resource = Text(required=False, max_length=ID_CHARACTERS, help_text="Whose thread it is; the caller's by default.")
    options = MemoryOptions(required=False, help_text="How much is recalled.")
    read_only = Flag(required=False, help_text="Recall without keeping this turn.")  # type: ignore[assignment]


class ModelSettingsBody(CamelSerializer):
    """Settings for the model's answers."""

    temperature = serializers.FloatField(required=False, min_value=0, max_value=2)
    max_output_tokens = Whole(required=False, min_value=1, max_value=1_000_000)
    top_p = serializers.FloatField(required=False, min_value=0, max_value=1)
    top_k = Whole(required=False, min_value=1, max_value=1000)
    presence_penalty = serializers.FloatField(required=False, min_value=-2, max_value=2)
    frequency_penalty = serializers.FloatField(required=False, min_value=-2, max_value=2)
    stop_sequences = serializers.ListField(required=False, child=Text(max_length=100), max_length=10)
    seed = Whole(required=False)


class GenerateBody(CamelSerializer):
    """A turn for an agent."""

    messages = Messages(
        help_text="What the user says: a string, or messages with role and content; the last is the user's."
    )
    instructions = Prompt(required=False, allow_null=True, help_text="Instead of the agent's own instructions.")
    system = Prompt(required=False, allow_null=True, help_text="Further instructions, after the agent's own.")
    context = Messages(  # type: ignore[assignment]
        required=False, allow_null=True, help_text="Further messages that the model reads and nobody keeps."
    )
    memory = MemoryBody(required=False, allow_null=True, help_text="The thread that the turn belongs to.")
    thread_id = Text(
        required=False,
        allow_null=True,
        max_length=ID_CHARACTERS,
        help_text="Short for memory.thread: the thread to continue.",
    )
    resource_id = Text(
        required=False,
        allow_null=True,
        max_length=ID_CHARACTERS,
        help_text="Short for memory.resource: whose thread it is.",
    )
    run_id = Text(required=False, allow_null=True, max_length=ID_CHARACTERS, help_text="An id for this run.")
    model = Text(required=False, allow_null=True, max_length=ID_CHARACTERS, help_text="provider/model for this turn.")
    model_settings = ModelSettingsBody(required=False, allow_null=True, help_text="Settings for the model's answers.")
    max_steps = Whole(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=50,
        help_text="Most model calls for this turn; 5 by default.",
    )
    tool_choice = serializers.ChoiceField(
        required=False,
        allow_null=True,
        choices=["auto", "none"],
        help_text="none: the agent answers without its tools.",
    )
    active_tools = serializers.ListField(
        required=False,
        allow_null=True,
        child=Text(max_length=120),
        max_length=100,
        help_text="Only these of its tools.",
    )

    request_context = Refused()
    structured_output = Refused()
    stop_when = Refused()
    provider_options = Refused()
    toolsets = Refused()
    client_tools = Refused()
    require_tool_approval = Refused()
    scorers = Refused()
    return_scorer_data = Refused()
    tracing_options = Refused()
    save_per_step = Refused()
    versions = Refused()
    until_idle = Refused()


class UsageAnswer(CamelSerializer):
    """Tokens of a turn."""

    open_keys = True

    input_tokens = Whole()
    output_tokens = Whole()
    total_tokens = Whole()


class GenerateAnswer(CamelSerializer):
    """An agent's answer to a turn."""

    open_keys = True

    text = Text(allow_blank=True, help_text="The answer.")
    finish_reason = Text(help_text="stop, tool-calls, length, content-filter, error or other.")
    usage = UsageAnswer(help_text="Tokens of all steps.")
    total_usage = UsageAnswer(help_text="The same, under its other name.")
    cost = serializers.FloatField(allow_null=True, help_text="US dollars; null when the price is not known.")
    steps = serializers.ListField(child=Json(), help_text="One entry per model call.")
    thread_id = Text(allow_null=True, help_text="The thread of the turn; null when none is kept.")
    run_id = Text(help_text="The id of this run.")
    trace_id = Text(help_text="The id of its trace.")
