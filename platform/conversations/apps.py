"""Threads and their messages."""

from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    """What was said, kept by thread and owner."""

    name = "conversations"
