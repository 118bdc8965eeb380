"""Why the platform cannot start: each is one sentence that says what to do."""

from django.core.exceptions import ImproperlyConfigured


class CannotStart(ImproperlyConfigured):
    """Base: shown as it is, without a traceback."""
