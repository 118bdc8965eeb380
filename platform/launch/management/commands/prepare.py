"""`manage.py prepare`: migrates, and makes the demo data once; `up` runs it before it serves."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection

from launch.demo import is_wanted, make_demo, makers

LOCK = 0x61747269756D  # any number: "atrium"


class Command(BaseCommand):
    """Two that start at once on one database take turns."""

    help = "Migrate the database and make the demo data once."

    def handle(self, *args: Any, **options: Any) -> None:
        """Carry it out."""
        settings.STATIC_ROOT.mkdir(mode=0o700, parents=True, exist_ok=True)  # the web server looks for it
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
            try:
                call_command("migrate", interactive=False, verbosity=0)
                if is_wanted():
                    make_demo(settings.DATA_DIR, makers())
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
