"""How much a caller may do at once and in a minute."""

from django.apps import AppConfig

from limits.client_address import check_trusted_proxies


class LimitsConfig(AppConfig):
    """No models: token buckets and slots on Valkey, with a local cap for when it is away."""

    name = "limits"

    def ready(self) -> None:
        """Stop the start when a trusted proxy is no address."""
        check_trusted_proxies()
