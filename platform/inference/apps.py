"""Language models behind ids of the form provider/model."""

from django.apps import AppConfig


class InferenceConfig(AppConfig):
    """Model registry, provider keys, prices, the offline model."""

    name = "inference"
