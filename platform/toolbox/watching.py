"""A tool process is two: one works, the other watches; what a tool has started ends with it, wherever it hides."""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from typing import NoReturn

import psutil

from launch.shim import tie_to_parent

PR_SET_CHILD_SUBREAPER = 36
SECONDS_TO_END = 3
_SIGNALS = {signal.SIGTERM, signal.SIGCHLD}


def work_watched(descriptor: int) -> None:
    """Go on as the worker, in a process of its own. The one that calls stays behind without the descriptor.

    It runs no tool, so no tool can keep it from ending everything when the worker ends or SIGTERM comes.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, _SIGNALS)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # an ignored signal cannot be waited for everywhere
    adopt_orphans()
    watcher, worker = os.getpid(), os.fork()
    if worker:
        os.close(descriptor)
        _watch(worker)
    tie_to_parent(signal.SIGKILL)
    if os.getppid() != watcher:
        os._exit(1)  # it ended before the kernel was told
    os.setsid()  # a tool that signals its group does not reach the watcher
    adopt_orphans()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def adopt_orphans() -> None:
    """Become the parent of each descendant that loses its own; only Linux knows how."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def has_children() -> bool:
    """Whether this process still has one that runs; ended ones are collected."""
    while pid := _collected():
        if pid < 0:
            return False
    return True


def _watch(worker: int) -> NoReturn:
    while signal.sigwait(_SIGNALS) != signal.SIGTERM:
        if _has_ended(worker):
            break
    signal.alarm(SECONDS_TO_END)  # whatever holds the following up
    _end_descendants()
    os._exit(0)


def _has_ended(worker: int) -> bool:
    while (pid := _collected()) > 0:
        if pid == worker:
            return True
    return False


def _end_descendants() -> None:
    """Until there is none: while some are killed, others may be started."""
    here = psutil.Process()
    while left := here.children(recursive=True):
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(0.001)
        has_children()


def _collected() -> int:
    """The id of a child that has ended, 0 when all of them run, -1 when there is none."""
    try:
        return os.waitpid(-1, os.WNOHANG)[0]
    except ChildProcessError:
        return -1
