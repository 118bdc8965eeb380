"""A tool process: takes jobs from its socket, one at a time, and dies with the server that started it.

It holds no connection of the server's. Django is set up only for tools that say that they use models.
"""

import asyncio
import json
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.conf import settings
from django.db import connections

from ground.errors import InvalidInput, PlatformError
from launch.shim import tie_to_parent
from toolbox import frames, running, watching
from toolbox.context import ToolContext
from toolbox.declaring import Declared, declared_by
from toolbox.running import Failed

# The first byte of an answer.
VALUE, FAILURE, REFUSAL = b"v", b"f", b"r"
MOVED = b"!"  # in front of it: this process is not to be used again


def main() -> None:
    """Serve until the socket ends: `FD PARENT`."""
    descriptor, parent = map(int, sys.argv[1:3])
    tie_to_parent(signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(1)  # the parent ended before the kernel was told
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.set_inheritable(descriptor, False)  # the server would wait for the end of whoever holds it
    watching.work_watched(descriptor)
    with socket.socket(fileno=descriptor) as link, suppress(frames.Ended, OSError):
        frames.send(link, b"")  # ready
        while True:
            answer = _answered(json.loads(frames.receive(link)))
            # What a tool leaves running would run into the next one's time and memory.
            frames.send(link, (MOVED if threading.active_count() > 1 or watching.has_children() else b"") + answer)


def _answered(job: dict[str, Any]) -> bytes:
    try:
        with _capped(job["memory_mb"]):
            return VALUE + _result(job)
    except Failed as failed:
        return FAILURE + json.dumps(failed.failure).encode()
    except PlatformError as refused:
        return REFUSAL + json.dumps(_refusal(refused)).encode()
    except MemoryError:
        return MOVED + FAILURE + json.dumps(["memory", ""]).encode()
    except BaseException as failure:
        return FAILURE + json.dumps(running.raised(failure).failure).encode()
    finally:
        _let_go()


def _result(job: dict[str, Any]) -> bytes:
    declared = _declared(job["module"], job["function"], uses_models=job["uses_models"])
    value = running.call(declared, job["data"].encode(), ToolContext(**job["context"]))
    if running.is_asynchronous(declared):
        value = asyncio.run(value)
    return running.encoded(declared, value, job["limit"])


@lru_cache(maxsize=1024)
def _declared(module: str, function: str, *, uses_models: bool) -> Declared:
    if uses_models:
        _set_up_django()
    return declared_by(getattr(import_module(module), function))


def _set_up_django() -> None:
    """Without a pool: its threads and connections would outlive the job."""
    settings.DATABASES["default"].get("OPTIONS", {}).pop("pool", None)
    django.setup()


@contextmanager
def _capped(megabytes: int) -> Iterator[None]:
    """Let the process grow by so much; the kernel refuses it more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":  # elsewhere the kernel does not count
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        cap = pages * resource.getpagesize() + megabytes * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (cap if hard < 0 else min(cap, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _refusal(refused: PlatformError) -> dict[str, Any]:
    return {
        "kind": type(refused).__name__,
        "sentence": refused.sentence,
        "issues": refused.issues if isinstance(refused, InvalidInput) else [],
    }


def _let_go() -> None:
    """Give back the database connection that a tool may have used."""
    if apps.ready:
        connections.close_all()
