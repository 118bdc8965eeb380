"""The worker's pulse: a key in Valkey that every heartbeat of the worker renews, and that ends with the heartbeats.

`/ready` reads it instead of asking the worker, which would take a message and up to a second. The heart beats every two
seconds in the worker's own loop, so a worker that hangs has no pulse either.
"""

import signal
from typing import Any

from celery.signals import heartbeat_sent, worker_process_init, worker_ready

from ground import valkey
from launch.shim import tie_to_parent

KEY = "atrium:worker"
SECONDS = 10


@heartbeat_sent.connect
@worker_ready.connect
def beat(**_: Any) -> None:
    """Renew the key."""
    try:
        valkey.client().set(KEY, "alive", ex=SECONDS)
    except valkey.Away:
        return  # and /ready says so by itself


def has_pulse() -> bool:
    """Whether a worker lives; raises one of `valkey.Away` when nobody can tell."""
    return bool(valkey.client().exists(KEY))


@worker_process_init.connect
def end_with_the_worker(**_: Any) -> None:
    """The worker's processes do not outlive it, even when it is killed."""
    tie_to_parent(signal.SIGKILL)
