"""Waits until a service answers, and makes the database when it is missing."""

import time
from collections.abc import Callable

import psycopg
import redis
from psycopg import sql

from launch.child import Child
from launch.embedded import DATABASE, CannotStart

SECONDS = 60.0


def wait_for(child: Child, answers: Callable[[], object], seconds: float = SECONDS) -> None:
    """Return once `answers` raises nothing; CannotStart when the child ends or the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            answers()
            return
        except (psycopg.OperationalError, redis.RedisError, OSError) as failure:
            if not child.is_running:
                raise CannotStart(f"{child.program.name} ended before it answered; its last lines are above.") from None
            if time.monotonic() > deadline:
                raise CannotStart(f"{child.program.name} did not answer within {seconds:.0f} s.") from failure
        time.sleep(0.05)  # nothing tells us when a server begins to listen


def database(url: str) -> Callable[[], object]:
    """A probe that connects, and creates the database of the address when the server has none of that name."""

    def probe() -> None:
        with psycopg.connect(url.rpartition("/")[0] + "/postgres", connect_timeout=3, autocommit=True) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if found is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    return probe


def broker(url: str) -> Callable[[], object]:
    """A probe that pings."""

    def probe() -> None:
        connection = redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
        try:
            connection.ping()
        finally:
            connection.close()

    return probe
