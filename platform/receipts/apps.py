"""What was done, by whom; and the answers that are given again."""

from django.apps import AppConfig


class ReceiptsConfig(AppConfig):
    """Append-only audit entries, and answers kept for calls with an idempotency key."""

    name = "receipts"
