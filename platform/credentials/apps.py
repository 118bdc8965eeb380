"""What callers show to be let in."""

from django.apps import AppConfig


class CredentialsConfig(AppConfig):
    """API keys, their allowlists, and authentication."""

    name = "credentials"
    verbose_name = "Credentials"
