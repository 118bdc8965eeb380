"""`manage.py doctor`: one line for each moving part, and how to mend what is wrong."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from launch.doctor import all_checks


class Command(BaseCommand):
    """Exit code 1 when something is wrong."""

    help = "Check every moving part and say how to mend what is wrong."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Print each check as soon as it is made."""
        bad = 0
        for check in all_checks():
            self.stdout.write(check.line)
            self.stdout.flush()
            bad += not check.ok
        if bad:
            sys.exit(1)
