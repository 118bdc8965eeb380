"""What happens, told to those who may know it."""

from django.apps import AppConfig


class EventsConfig(AppConfig):
    """No models: a short log for each tenant in Valkey, and the listeners of this process."""

    name = "events"
