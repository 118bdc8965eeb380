"""Durable execution: what long work stands on."""

from django.apps import AppConfig


class DurableConfig(AppConfig):
    """Leases, fences, records of steps, wake-ups, sweeps. It has no tables of its own."""

    name = "durable"
