"""The brokers that are killed: each in a folder of its own, started again on the same port."""

import contextlib
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

from launch import valkey_server
from launch.child import Child, Program
from launch.ports import LOOPBACK, free_port
from launch.private_files import make_private
from launch.readiness import broker_answers

# Debian's own command becomes another user first, who may not enter our folder.
PLACES = (Path("/usr/lib/rabbitmq/bin/rabbitmq-server"),)


class Broker:
    """A server that may be killed with -9."""

    name: str
    url: str
    environment: Mapping[str, str]

    def __init__(self, folder: Path, log: TextIO) -> None:
        self.folder, self.log = folder, log
        self.child: Child | None = None

    def program(self) -> Program:
        """How it is run."""
        raise NotImplementedError

    def answers(self) -> bool:
        """Whether it can be used."""
        raise NotImplementedError

    def start(self) -> None:
        """Until it answers."""
        self.child = self._run(self.program())
        until(self.answers, f"{self.name} did not answer")

    def kill(self) -> None:
        """With -9; what it had not written down is lost."""
        if self.child is not None:
            self.child.clear_away()

    def stop(self) -> None:
        """For good."""
        self.kill()

    def _run(self, program: Program) -> Child:
        return Child(program, lambda line: print(f"{program.name}: {line}", file=self.log))


class Valkey(Broker):
    """Nothing is on disk: killed, it forgets everything."""

    name = "Valkey"

    def __init__(self, folder: Path, log: TextIO) -> None:
        super().__init__(folder, log)
        endpoint = valkey_server.furnish(folder, None, durable=False)
        self.url = valkey_server.url(endpoint)
        self.environment = {"REDIS_URL": self.url}

    def program(self) -> Program:
        return valkey_server.program(self.folder)

    def answers(self) -> bool:
        return bool(broker_answers(self.url))


class RabbitMQ(Broker):
    """With a name server of its own, so that it touches no other on this machine."""

    name = "RabbitMQ"

    def __init__(self, folder: Path, log: TextIO) -> None:
        super().__init__(folder, log)
        self.port, self.names_port = free_port(), free_port()
        self.url = f"amqp://guest:guest@{LOOPBACK}:{self.port}//"
        self.environment = {"BROKER_URL": self.url}
        for name in ("enabled_plugins", "environment"):
            (folder / name).write_text("[].\n" if name == "enabled_plugins" else "")
        self.names = self._run(Program("epmd", ("/usr/bin/env", "epmd", "-address", LOOPBACK), self._environment))
        until(lambda: _listens(self.names_port), "epmd did not answer")

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "HOME": str(self.folder),
            "ERL_EPMD_PORT": str(self.names_port),
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "RABBITMQ_NODENAME": f"chaos{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_BASE": str(self.folder),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "environment"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq"),
        }

    def program(self) -> Program:
        found = next((str(place) for place in PLACES if place.exists()), shutil.which("rabbitmq-server"))
        if found is None:
            raise RuntimeError("rabbitmq-server is not installed.")
        return Program("rabbitmq", (found,), self._environment)

    def answers(self) -> bool:
        return _listens(self.port)

    def stop(self) -> None:
        self.kill()
        self.names.clear_away()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((LOOPBACK, port)) == 0


def until(fact: "object", sentence: str, seconds: float = 60) -> None:
    """Ask again until it holds."""
    deadline = time.monotonic() + seconds
    while not fact():  # type: ignore[operator]
        if time.monotonic() > deadline:
            raise RuntimeError(f"{sentence} within {seconds:g} seconds.")
        time.sleep(0.05)  # nothing tells us when a server begins to listen


KINDS: dict[str, type[Broker]] = {"valkey": Valkey, "rabbitmq": RabbitMQ}


@contextlib.contextmanager
def running(kind: str, log: TextIO) -> Iterator[Broker]:
    """A broker in a new folder, which is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="atrium-chaos-"))
    make_private(folder)
    broker = KINDS[kind](folder, log)
    try:
        broker.start()
        yield broker
    finally:
        broker.stop()
        shutil.rmtree(folder)
