"""What everybody stands on."""

from django.apps import AppConfig


class GroundConfig(AppConfig):
    """No models: errors, the async bridge, Valkey, invalidations, ids."""

    name = "ground"
