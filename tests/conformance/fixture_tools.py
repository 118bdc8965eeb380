"""The tools that the conformance suite calls."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from django.core import signing

from gateway.protocol.channel import Channel
from gateway.protocol.errors import MISSING_CAPABILITY, ProtocolError, invalid_params
from gateway.protocol.server import InputRequired
from tests.conformance.fixtures import AUDIO, IMAGE, resource, text

Answer = dict[str, Any] | InputRequired
Tool = Callable[[Channel, dict[str, Any]], Awaitable[Answer]]

SALT = "conformance.state"
TOOLS: dict[str, tuple[dict[str, Any], Tool]] = {}

EMPTY = {"type": "object", "additionalProperties": False}
NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def tool(name: str, schema: dict[str, Any] = EMPTY) -> Callable[[Tool], Tool]:
    """Register a tool."""

    def register(run: Tool) -> Tool:
        TOOLS[name] = ({"name": name, "description": (run.__doc__ or "").strip(), "inputSchema": schema}, run)
        return run

    return register


def answered(*blocks: dict[str, Any], failed: bool = False) -> dict[str, Any]:
    """A result with these blocks."""
    return {"content": list(blocks), "isError": failed}


def _fixed(name: str, description: str, *blocks: dict[str, Any], failed: bool = False) -> None:
    async def run(channel: Channel, arguments: dict[str, Any]) -> Answer:
        return answered(*blocks, failed=failed)

    run.__doc__ = description
    tool(name)(run)


_fixed("test_simple_text", "Answers a text", text("This is a simple text response for testing."))
_fixed("test_image_content", "Answers an image", IMAGE)
_fixed("test_audio_content", "Answers a sound", AUDIO)
_fixed(
    "test_embedded_resource",
    "Answers a resource",
    resource("test://embedded-resource", "This is an embedded resource content."),
)
_fixed(
    "test_multiple_content_types",
    "Answers a text, an image and a resource",
    text("Multiple content types test:"),
    IMAGE,
    resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
)
_fixed("test_error_handling", "Fails", text("This tool intentionally returns an error for testing"), failed=True)


@tool("test_tool_with_progress")
async def with_progress(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Tells its progress"""
    for done in (0, 50, 100):
        await channel.progress(done, 100, f"Completed step {done} of 100")
        await asyncio.sleep(0.05)
    return answered(text("Done"))


async def _log(channel: Channel) -> Answer:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await channel.log("info", said)
        await asyncio.sleep(0.05)
    return answered(text("Logged"))


@tool("test_tool_with_logging")
async def with_logging(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Logs three messages"""
    return await _log(channel)


@tool("test_logging_tool")
async def logging_tool(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Logs three messages where they are wanted"""
    return await _log(channel)


@tool("test_streaming_elicitation")
async def streaming_elicitation(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Streams progress, and asks nothing on the stream"""
    await channel.progress(1, 1)
    return answered(text("No question was asked"))


@tool("test_missing_capability")
async def missing_capability(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Runs only for clients that can sample"""
    if "sampling" not in channel.capabilities:
        raise ProtocolError(MISSING_CAPABILITY, "This tool needs sampling", {"requiredCapabilities": {"sampling": {}}})
    return answered(text("Sampling is there"))


# --- questions of the older generation ---


@tool("test_sampling", {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]})
async def sampling(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Asks the client's model"""
    asked = {"messages": [{"role": "user", "content": text(arguments["prompt"])}], "maxTokens": 100}
    said = await channel.ask("sampling/createMessage", asked)
    return answered(text(f"LLM response: {said.get('content', {}).get('text', '')}"))


async def _elicit(channel: Channel, message: str, properties: dict[str, Any], required: list[str]) -> Answer:
    schema = {"type": "object", "properties": properties, "required": required}
    said = await channel.ask("elicitation/create", {"message": message, "requestedSchema": schema})
    return answered(text(f"User response: {said}"))


@tool("test_elicitation", {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]})
async def elicitation(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Asks the person"""
    properties = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    return await _elicit(channel, arguments["message"], properties, ["username", "email"])


@tool("test_elicitation_sep1034_defaults")
async def elicitation_defaults(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Asks with defaults"""
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return await _elicit(channel, "Please review the defaults", properties, [])


@tool("test_elicitation_sep1330_enums")
async def elicitation_enums(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Asks with the five shapes of enums"""
    options = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": f"{w} Option"} for n, w in ((1, "First"), (2, "Second"), (3, "Third"))]
    properties = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }  # fmt: skip
    return await _elicit(channel, "Please choose", properties, [])


# --- results that ask for input, of the modern generation ---


def _form(message: str, field: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def _sample(prompt: str) -> dict[str, Any]:
    asked = {"messages": [{"role": "user", "content": text(prompt)}], "maxTokens": 100}
    return {"method": "sampling/createMessage", "params": asked}


ROOTS = {"method": "roots/list", "params": {}}


def state_of(channel: Channel) -> dict[str, Any] | None:
    """The state that came back; one that we did not sign is refused."""
    state = channel.params.get("requestState")
    if state is None:
        return None
    try:
        return dict(signing.loads(state, salt=SALT, max_age=600))
    except (signing.BadSignature, TypeError, ValueError):
        raise invalid_params("requestState was not given by this server") from None


def responses(channel: Channel) -> dict[str, Any]:
    """The answers to earlier questions."""
    given = channel.params.get("inputResponses")
    if given is not None and not isinstance(given, dict):
        raise invalid_params("inputResponses must be an object")
    return given or {}


def ask(state: dict[str, Any] | None = None, **questions: dict[str, Any]) -> InputRequired:
    """A result with questions."""
    return InputRequired(questions or None, signing.dumps(state, salt=SALT) if state is not None else None)


def _asking(name: str, *, state: bool = False, **questions: dict[str, Any]) -> None:
    async def run(channel: Channel, arguments: dict[str, Any]) -> Answer:
        """Asks before it answers"""
        given, known = responses(channel), state_of(channel)
        missing = {key: question for key, question in questions.items() if key not in given}
        if missing or (state and known is None):
            return ask({"tool": name} if state else None, **(missing or questions))
        return answered(text(f"{'state-ok ' if state else ''}{given}"))

    tool(f"test_input_required_result_{name}")(run)


_asking("elicitation", user_name=_form("What is your name?", "name"))
_asking("sampling", capital_question=_sample("What is the capital of France?"))
_asking("list_roots", client_roots=ROOTS)
_asking("request_state", state=True, confirm=_form("Please confirm", "ok"))
_asking("tampered_state", state=True, confirm=_form("Please confirm", "ok"))
_asking(
    "multiple_inputs",
    state=True,
    user_name=_form("What is your name?", "name"),
    greeting=_sample("Write a greeting"),
    client_roots=ROOTS,
)


@tool("test_input_required_result_multi_round")
async def multi_round(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Asks twice"""
    known, given = state_of(channel) or {}, responses(channel)
    if "step1" not in given and "name" not in known:
        return ask({"round": 1}, step1=_form("Step 1: your name?", "name"))
    if "step2" not in given:
        return ask(
            {"round": 2, "name": given.get("step1", known.get("name"))}, step2=_form("Step 2: your colour?", "color")
        )
    return answered(text(f"{known} {given}"))


@tool("test_input_required_result_capabilities")
async def by_capabilities(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Asks only for what the client can do"""
    possible = {
        "elicitation": ("user_name", _form("What is your name?", "name")),
        "sampling": ("capital_question", _sample("What is the capital of France?")),
        "roots": ("client_roots", ROOTS),
    }
    questions = dict(question for capability, question in possible.items() if capability in channel.capabilities)
    if not questions or responses(channel):
        return answered(text(f"{responses(channel)}"))
    return ask(None, **questions)


# --- schemas ---

KEYWORDS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@tool("json_schema_2020_12_tool", KEYWORDS)
async def keywords(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Has a schema with the keywords of 2020-12"""
    return answered(text(str(arguments)))


@tool(
    "test_x_mcp_header",
    {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
)
async def x_mcp_header(channel: Channel, arguments: dict[str, Any]) -> Answer:
    """Wants its region repeated in a header"""
    return answered(text(str(arguments.get("region"))))
