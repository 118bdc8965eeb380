"""`manage.py mcp_stdio`: the MCP endpoint for clients that start a process and talk to it."""

from typing import Any

import anyio
import httpx2
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import env
from gateway.stdio_bridge import bridge


class Command(BaseCommand):
    """Bridges standard input and output to /api/mcp; the key comes from MCP_KEY."""

    help = "Bridge a stdio MCP client to the HTTP endpoint. The key is read from MCP_KEY."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Where the endpoint is."""
        default = f"{settings.PUBLIC_URL}{settings.API_PREFIX}/mcp"
        parser.add_argument("--url", default=default, help=f"the MCP endpoint (default: {default})")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until the client closes standard input."""
        key = env.text("MCP_KEY")
        if not key:
            raise CommandError("Set MCP_KEY to an API key; `manage.py up` prints the demo keys.")
        try:
            anyio.run(bridge, options["url"], key)
        except* httpx2.HTTPError:
            raise CommandError(f"There is no answer from {options['url']}; is the server running there?") from None
