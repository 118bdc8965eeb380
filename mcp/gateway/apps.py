"""The MCP endpoint: what each caller sees of the platform, and how calls run."""

from django.apps import AppConfig


class GatewayConfig(AppConfig):
    """Surfaces, calls, router tools, session bootstrap, and their settings in the admin."""

    name = "gateway"
    verbose_name = "MCP"

    def ready(self) -> None:
        """Allowlists may name the router's tools and those of featured objects; the key form shows what lists cost."""
        from credentials import known_tools
        from gateway.listing_cost import token_counts  # models are ready only now
        from gateway.sources.featured import known_names

        known_tools.register(known_names)
        known_tools.register_counter(token_counts)
