"""`manage.py up`: serves everything until it is asked to stop."""

from contextlib import closing
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from launch import services
from launch.data_lock import DataLock
from launch.errors import CannotStart
from launch.launching import launch
from launch.ports import listening_socket
from launch.programs import DAPHNE, UVICORN
from launch.supervisor import Stopped, Supervisor


class Command(BaseCommand):
    """The one command of an installation."""

    help = "Start PostgreSQL and Valkey where none is set, migrate, and serve: web, worker and beat."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """How the web is served; everything else is a setting."""
        parser.add_argument("--workers", type=int, default=settings.WEB_WORKERS, help="web processes")
        parser.add_argument("--server", choices=(DAPHNE, UVICORN), help="daphne for one process, uvicorn for several")

    def handle(self, *args: Any, workers: int, server: str | None, **options: Any) -> None:
        """Serve until Ctrl-C or SIGTERM."""
        if not 1 <= workers <= 64:
            raise CommandError("--workers must be between 1 and 64.")
        try:
            self._serve(workers, server)
        except CannotStart as error:
            raise CommandError(str(error)) from None

    def _serve(self, workers: int, server: str | None) -> None:
        with DataLock(settings.DATA_DIR), closing(listening_socket(settings.HOST, settings.PORT)) as listener:
            try:
                with Supervisor() as supervisor:
                    launch(supervisor, listener, server, workers)
                    supervisor.run()
            except Stopped:
                self.stdout.write("Stopped.")
            finally:
                services.forget_holder(settings.DATA_DIR)
