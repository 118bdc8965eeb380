"""Inputs and answers of the tool routes; help texts are the one text for OpenAPI and tools."""

from rest_framework import serializers

from api.serializers import CamelSerializer, Flag, Json, Text

RUN_ID_CHARACTERS = 255


class ToolListQuery(CamelSerializer):
    """Which tools to list."""

    partial = Text(required=False, help_text="true leaves out the schemas.")  # type: ignore[assignment]
    query = Text(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Only tools whose id or description contains this text, in any case.",
    )


class ToolAnswer(CamelSerializer):
    """One tool."""

    open_keys = True

    id = Text(help_text="The tool's id.")
    description = Text(help_text="What it does.")
    require_approval = Flag(help_text="Whether a person has to agree to each call.")
    input_schema = serializers.DictField(required=False, help_text="The JSON Schema of its input.")
    output_schema = serializers.DictField(required=False, help_text="The JSON Schema of what it returns.")
    annotations = serializers.DictField(required=False, help_text="What it says of its effects.")
    mcp = serializers.DictField(required=False, help_text="The same annotations, where MCP clients look for them.")


class ToolExecuteQuery(CamelSerializer):
    """For which run."""

    run_id = Text(required=False, max_length=RUN_ID_CHARACTERS, help_text="The id of the run that the call belongs to.")


class ToolExecuteBody(CamelSerializer):
    """A call of a tool."""

    data = Json(  # type: ignore[assignment]
        allow_null=True,
        help_text="The input, as the tool's own schema describes it.",
        error_messages={"required": "data is required"},
    )
    request_context = serializers.DictField(required=False, help_text="Values that the tool may read beside its input.")
