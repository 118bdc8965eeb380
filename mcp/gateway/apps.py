"""The MCP endpoint: what each caller sees of the platform, and how calls run."""

from django.apps import AppConfig


class GatewayConfig(AppConfig):
    """Surfaces, calls, router tools, session bootstrap, and their settings in the admin."""

    name = "gateway"
