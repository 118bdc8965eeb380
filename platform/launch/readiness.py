"""Whether a database or a broker answers, and waiting until it does."""

import time
from collections.abc import Callable, Iterable

import psycopg
import redis

from launch.child import Child
from launch.errors import CannotStart

STEP = 0.05  # seconds between two questions: nothing tells us when a server begins to listen


def database_answers(url: str) -> bool:
    """Whether the database accepts a connection."""
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def broker_answers(url: str) -> bool:
    """Whether Valkey (or Redis) answers a ping."""
    connection = redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)
    try:
        return bool(connection.ping())
    except redis.RedisError:
        return False
    finally:
        connection.close()


def wait_until(answer: Callable[[], bool], children: Iterable[Child], seconds: float = 60) -> None:
    """Return when `answer` says yes; CannotStart when a child ends before that, or the time is over."""
    deadline = time.monotonic() + seconds
    while not answer():
        ended = [child.program.name for child in children if not child.is_running]
        if ended:
            raise CannotStart(f"{', '.join(ended)} ended before it answered; services.log says why.")
        if time.monotonic() > deadline:
            raise CannotStart(f"The embedded services did not answer within {seconds:.0f} s.")
        time.sleep(STEP)
