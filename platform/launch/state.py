"""What of the platform answers now: the parts of `/ready`."""

import logging
import threading
import time
from collections.abc import Callable

from celery import current_app
from django.conf import settings
from django.db import Error, connection
from kombu.exceptions import OperationalError

from ground import valkey
from launch.pulse import has_pulse

logger = logging.getLogger(__name__)
KEPT_SECONDS = 1.0  # nobody exhausts the connections by asking


def database() -> bool:
    """A query is answered."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error as error:
        logger.warning("The database does not answer: %s", type(error).__name__)
        return False
    return True


def broker() -> bool:
    """Valkey answers, and the broker when it is another server."""
    try:
        valkey.client().ping()
        if settings.CELERY_BROKER_URL != settings.REDIS_URL:
            with current_app.connection_for_write(connect_timeout=1) as link:
                link.ensure_connection(max_retries=1, timeout=1)
    except (*valkey.Away, OSError, OperationalError):
        return False
    return True


def worker() -> bool:
    """A worker has had a heartbeat within ten seconds."""
    try:
        return has_pulse()
    except valkey.Away:
        return False


PARTS: dict[str, Callable[[], bool]] = {"database": database, "broker": broker, "worker": worker}


class _Kept:
    """The last answer, asked for by one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Ask anew next time."""
        self._asked = -KEPT_SECONDS
        self._parts: dict[str, bool] = {}

    def parts(self) -> dict[str, bool]:
        """Each part and whether it answers."""
        with self._lock:
            if time.monotonic() - self._asked >= KEPT_SECONDS:
                self._parts = {name: answers() for name, answers in PARTS.items()}
                self._asked = time.monotonic()
            return self._parts


_kept = _Kept()


def parts() -> dict[str, bool]:
    """Each part and whether it answers; at most a second old."""
    return _kept.parts()


def forget() -> None:
    """Drop what was kept: something has just changed."""
    _kept.forget()
