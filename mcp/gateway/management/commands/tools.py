"""`manage.py tools`: every tool of the platform, one line each; the reviewed copy is tests/gateway/catalog.txt."""

from typing import Any

from django.core.management.base import BaseCommand

from gateway.catalog_text import catalog_text


class Command(BaseCommand):
    """Prints the whole tool catalogue."""

    help = "Print every tool with its aliases, arguments, routes, permission and hints."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Print."""
        self.stdout.write(catalog_text(), ending="")
