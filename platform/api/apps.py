"""The HTTP contract: operations, views, serializers, schemas, tools as data, in-process dispatch."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """Reads every app's `tools.py` once the registry is ready."""

    name = "api"
