"""The server under test: the project's endpoint, over the fixtures that the conformance suite asks for, open to all."""

import os
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any

import django

import config  # noqa: F401  (puts the source roots on the path)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from gateway.endpoint import Endpoint  # noqa: E402  (Django must be set up first)
from gateway.protocol.channel import Channel  # noqa: E402
from gateway.protocol.errors import RESOURCE_NOT_FOUND, ProtocolError, invalid_params  # noqa: E402
from gateway.protocol.options import EngineOptions  # noqa: E402
from gateway.protocol.server import Result, Visit  # noqa: E402
from tests.conformance.fixture_tools import TOOLS, ask, responses  # noqa: E402
from tests.conformance.fixtures import PROMPTS, RESOURCES, TEMPLATES, contents, messages  # noqa: E402


@dataclass(frozen=True)
class Anybody:
    """The suite cannot send a credential."""

    key: str = "anybody"


class FixtureServer:
    """Everything that the suite calls."""

    def info(self) -> Mapping[str, Any]:
        """`serverInfo`."""
        return {"name": "conformance", "version": "1.0.0"}

    def capabilities(self, caller: Any, modern: bool) -> Mapping[str, Any]:
        """What the fixtures have."""
        subscribe = {} if modern else {"subscribe": True}
        return {"tools": {}, "resources": subscribe, "prompts": {}, "completions": {}, "logging": {}}

    def instructions(self, caller: Any) -> str | None:
        """None."""
        return None

    def authenticate(self, visit: Visit) -> Anybody:
        """Everybody is let in."""
        return Anybody()

    def mirrored(self, caller: Any, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The headers that a tool's schema asks for."""
        schema = TOOLS[name][0]["inputSchema"] if name in TOOLS else {}
        return {
            f"mcp-param-{wanted.lower()}": arguments.get(argument)
            for argument, inner in schema.get("properties", {}).items()
            if (wanted := inner.get("x-mcp-header"))
        }

    def handle(self, caller: Any, method: str, channel: Channel) -> Result | Awaitable[Result] | None:
        """One method."""
        handler = getattr(self, "on_" + method.replace("/", "_"), None)
        return handler(channel) if handler is not None else None

    def on_tools_list(self, channel: Channel) -> Result:
        """All tools."""
        if "cursor" in channel.params:
            raise invalid_params("There is one page")
        return {"tools": [definition for definition, _ in TOOLS.values()]}

    async def on_tools_call(self, channel: Channel) -> Result:
        """One tool."""
        if (name := channel.params.get("name")) not in TOOLS:
            raise invalid_params(f"Unknown tool: {name}")
        return await TOOLS[name][1](channel, channel.params.get("arguments") or {})

    def on_resources_list(self, channel: Channel) -> Result:
        """All resources."""
        return {"resources": RESOURCES}

    def on_resources_templates_list(self, channel: Channel) -> Result:
        """All templates."""
        return {"resourceTemplates": TEMPLATES}

    def on_resources_read(self, channel: Channel) -> Result:
        """One resource."""
        uri = str(channel.params.get("uri"))
        if (found := contents(uri)) is None:
            if channel.modern:
                raise invalid_params("Resource not found", {"uri": uri})
            raise ProtocolError(RESOURCE_NOT_FOUND, "Resource not found", {"uri": uri})
        return {"contents": found}

    def on_resources_subscribe(self, channel: Channel) -> Result:
        """Nothing is ever updated."""
        return {}

    on_resources_unsubscribe = on_resources_subscribe

    def on_prompts_list(self, channel: Channel) -> Result:
        """All prompts."""
        return {"prompts": PROMPTS}

    def on_prompts_get(self, channel: Channel) -> Result:
        """One prompt."""
        name, arguments = str(channel.params.get("name")), channel.params.get("arguments") or {}
        if name == "test_input_required_result_prompt":
            return self._asking_prompt(channel)
        known = {prompt["name"]: prompt for prompt in PROMPTS}.get(name, {})
        missing = [wanted["name"] for wanted in known.get("arguments", []) if wanted["name"] not in arguments]
        found = messages(name, arguments) if not missing else None
        if found is None:
            raise invalid_params(f"Unknown prompt or missing argument: {name}")
        return {"messages": found}

    def _asking_prompt(self, channel: Channel) -> Result:
        given = responses(channel)
        if "user_context" not in given:
            schema = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
            asked = {"mode": "form", "message": "Which context?", "requestedSchema": schema}
            return ask(None, user_context={"method": "elicitation/create", "params": asked})
        return {"messages": [{"role": "user", "content": {"type": "text", "text": str(given)}}]}

    def on_completion_complete(self, channel: Channel) -> Result:
        """A fixed list."""
        return {"completion": {"values": ["paris", "park"], "total": 2, "hasMore": False}}


endpoint = Endpoint(FixtureServer(), EngineOptions.of_settings())


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Only the endpoint."""
    await endpoint(scope, receive, send)
