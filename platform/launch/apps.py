"""Starting, checking and stopping the whole platform."""

from django.apps import AppConfig

from launch import pulse


class LaunchConfig(AppConfig):
    """Knows no other app: their `demo.py` and `doctor.py` are found through INSTALLED_APPS."""

    name = "launch"
    worker_pulse = pulse  # importing it connects its receivers
