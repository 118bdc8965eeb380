"""An app that adds sixty tools to the platform, as a large installation would have."""

from django.apps import AppConfig


class ExtraToolsConfig(AppConfig):
    """Only `tools.py` matters."""

    name = "tests.bench.extra_tools"
    label = "extra_tools"
