"""From nothing to a serving platform, and how long each step may take."""

import http.client
import os
import socket
from collections.abc import Mapping
from functools import partial

from django.conf import settings

from launch import programs
from launch.addresses import addresses
from launch.demo import NAME as DEMO_FILE
from launch.embedded import EmbeddedServices
from launch.errors import CannotStart
from launch.ports import reachable_host
from launch.private_files import read_json
from launch.readiness import broker_answers, database_answers
from launch.supervisor import Supervisor
from launch.welcome import welcome

SERVICE_SECONDS = 60.0
WEB_SECONDS = 120.0


def launch(supervisor: Supervisor, listener: socket.socket, server: str | None, workers: int) -> None:
    """Services, database, web, worker and beat; returns when the web server answers, having said so."""
    environment = _services(supervisor)
    before = read_json(settings.DATA_DIR / DEMO_FILE)
    if code := supervisor.carry_out(programs.prepare(environment)):
        raise CannotStart(f"The database could not be prepared (exit code {code}); the lines above say why.")
    facts = read_json(settings.DATA_DIR / DEMO_FILE)
    supervisor.keep(
        [
            *programs.web(environment, listener, server, workers),
            programs.worker(environment, settings.LOG_LEVEL),
            programs.beat(environment, settings.LOG_LEVEL),
        ]
    )
    if not supervisor.wait_until(web_answers, WEB_SECONDS):
        raise CannotStart(f"The web server did not answer within {WEB_SECONDS:.0f} s; the lines above say why.")
    is_new = (facts or {}).get("keys") != (before or {}).get("keys")
    print(welcome(addresses(), facts, is_new=is_new), flush=True)


def _services(supervisor: Supervisor) -> dict[str, str]:
    """Start what is embedded, wait until all answers; the environment of everything that follows."""
    given = {name: os.environ.get(name, "").strip() for name in ("DATABASE_URL", "REDIS_URL")}
    embedded = EmbeddedServices(
        settings.DATA_DIR, with_database=not given["DATABASE_URL"], with_valkey=not given["REDIS_URL"]
    )
    supervisor.keep(embedded.furnish())
    found = {**given, **embedded.environment}
    for name, answers in (("DATABASE_URL", database_answers), ("REDIS_URL", broker_answers)):
        if not supervisor.wait_until(partial(answers, found[name]), SERVICE_SECONDS):
            raise CannotStart(_silent(name, is_embedded=not given[name]))
    return _environment(found, is_embedded=not given["DATABASE_URL"])


def _silent(name: str, *, is_embedded: bool) -> str:
    service = "PostgreSQL" if name == "DATABASE_URL" else "Valkey"
    if is_embedded:
        return f"The embedded {service} does not answer; the lines above say why. You may set {name} to another server."
    return f"The server of {name} does not answer; start it, or correct {name}."


def _environment(found: Mapping[str, str], *, is_embedded: bool) -> dict[str, str]:
    environment = {**os.environ, **found, "DATA_DIR": str(settings.DATA_DIR), "PYTHONUNBUFFERED": "1"}
    environment.pop("EMBEDDED_DATABASE", None)
    return {**environment, "EMBEDDED_DATABASE": "1"} if is_embedded else environment


def web_answers() -> bool:
    """Whether the web server answers on its port; any answer will do."""
    connection = http.client.HTTPConnection(reachable_host(settings.HOST), settings.PORT, timeout=2)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
