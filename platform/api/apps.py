"""The HTTP contract: operations, views, serializers, schemas, tools as data, in-process dispatch."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """Checks every route and tool at start."""

    name = "api"

    def ready(self) -> None:
        """Register the checks."""
        from api import checks  # noqa: F401  (registers itself; needs what the framework loads with the models)
