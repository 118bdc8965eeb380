"""A PostgreSQL of the test's own with the demo data, to be killed and brought back."""

import json
from typing import Any

from django.conf import settings

from launch.child import Child
from launch.embedded import EmbeddedServices
from launch.readiness import wait_until
from tests.launch.running import DataFolder
from tests.services import SECRETS


class OwnDatabase:
    """Prepared once; `environment` leads a server to it."""

    def __init__(self) -> None:
        self.folder = DataFolder()
        self.services = EmbeddedServices(self.folder.path, with_valkey=False, durable=False)
        [self.program] = self.services.furnish()
        self._child: Child | None = None
        self.start()
        prepared = self.folder.manage("prepare", **self.environment, REDIS_URL=settings.REDIS_URL, DEMO="1")
        assert prepared.returncode == 0, prepared.stderr
        self._demo: dict[str, Any] = json.loads((self.folder.path / "demo.json").read_text())

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a server that uses it."""
        return {**self.services.environment, "DATA_DIR": str(self.folder.path), **SECRETS}

    def key(self, role: str) -> str:
        """A demo key."""
        return str(self._demo["keys"][role])

    def start(self) -> None:
        """Start, and return when it answers."""
        self._child = Child(self.program, lambda line: None)
        wait_until(self.services.answer, [self._child])

    def kill(self) -> None:
        """Like kill -9 of the server and all its processes."""
        if self._child is not None:
            self._child.clear_away()
            self._child = None

    def remove(self) -> None:
        """Leave nothing behind."""
        self.kill()
        self.folder.remove()
