"""The tool processes of this server process: started when needed, used again, killed when they do not answer."""

import asyncio
import atexit
import os
import socket
import subprocess
import sys
import time

from django.conf import settings

from config import ROOT
from toolbox import frames

PROGRAM = "import config; from toolbox.child import main; main()"
START_SECONDS = 20.0
IDLE_SECONDS = 60.0
ROOM = 64 * 1024  # bytes that an answer may have beyond the result

# glibc sets aside address space for each thread, which would count against the memory cap.
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2"}


class Busy(Exception):
    """No process became free in time."""


class TooSlow(Exception):
    """The process did not answer in time, and was killed."""


class ToolProcess:
    """A worker, and the process that watches it, which is our child.

    Start it on the background loop: the kernel ties it to the thread that forked it.
    """

    def __init__(self) -> None:
        self.link, theirs = socket.socketpair()
        self.link.setblocking(False)
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603  (our own program)
                [sys.executable, "-c", PROGRAM, str(theirs.fileno()), str(os.getpid())],
                cwd=ROOT,
                env={**os.environ, **_ENVIRONMENT},
                stdin=subprocess.DEVNULL,
                stdout=2,  # what a tool prints goes where the logs go
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C reaches the server alone, which ends it
            )
        self.idle: asyncio.TimerHandle | None = None
        self.owner = os.getpid()
        _alive.add(self)

    @property
    def is_usable(self) -> bool:
        """Whether the worker still runs: its end of the link is open, and silent."""
        try:
            self.link.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    async def ask(self, job: bytes, limit: int) -> bytes:
        """Its answer; frames.Ended when it dies over the job, frames.TooLong when it says too much."""
        await frames.send_soon(self.link, job)
        return await frames.receive_soon(self.link, limit)

    def kill(self) -> None:
        """End it and what it has started, and collect it soon."""
        self._end()
        self._collect(asyncio.get_running_loop())

    def _end(self) -> None:
        if self.idle is not None:
            self.idle.cancel()
        self.link.close()
        self.process.terminate()  # it kills the worker, and all that tools have started

    def _collect(self, loop: asyncio.AbstractEventLoop) -> None:
        if self.process.poll() is None:
            loop.call_later(0.01, self._collect, loop)
        else:
            _alive.discard(self)

    def end_now(self) -> None:
        """End it and wait for its end."""
        self._end()
        self.process.wait(5)
        _alive.discard(self)


_alive: set[ToolProcess] = set()


@atexit.register
def _end_all() -> None:
    for child in list(_alive):
        if child.owner == os.getpid() and child.process.returncode is None:  # a forked process has copies of ours
            child.end_now()


class Pool:
    """At most TOOL_PROCESSES jobs at once; belongs to the background loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(settings.TOOL_PROCESSES)
        self._free: list[ToolProcess] = []

    async def run(self, job: bytes, seconds: float) -> bytes:
        """The answer to a job within so many seconds, a new process's start apart; Busy, TooSlow, or a frames error.

        Cancelling it kills the process that works on the job.
        """
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                await self._places.acquire()
        except TimeoutError:
            raise Busy from None
        try:
            return await self._worked(job, max(0.01, seconds - (time.monotonic() - began)))
        finally:
            self._places.release()

    async def _worked(self, job: bytes, seconds: float) -> bytes:
        child = self._taken() or await self._started()
        try:
            async with asyncio.timeout(seconds):
                answer = await child.ask(job, settings.LIMIT_TOOL_RESULT_BYTES + ROOM)
        except TimeoutError:
            child.kill()
            raise TooSlow from None
        except BaseException:
            child.kill()
            raise
        if answer.startswith(b"!"):
            child.kill()
            return answer[1:]
        self._give_back(child)
        return answer

    def _taken(self) -> ToolProcess | None:
        while self._free:
            child = self._free.pop()
            if child.idle is not None:
                child.idle.cancel()
            if child.is_usable:
                return child
            child.kill()
        return None

    async def _started(self) -> ToolProcess:
        child = ToolProcess()
        try:
            async with asyncio.timeout(START_SECONDS):
                await frames.receive_soon(child.link, 0)
        except BaseException:
            child.kill()
            raise
        return child

    def _give_back(self, child: ToolProcess) -> None:
        child.idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._retire, child)
        self._free.append(child)

    def _retire(self, child: ToolProcess) -> None:
        if child in self._free:
            self._free.remove(child)
            child.kill()


_pools: dict[int, Pool] = {}


def pool() -> Pool:
    """The pool of this process, also when it was forked from one that had its own; on the background loop."""
    if os.getpid() not in _pools:
        _pools.clear()
        _pools[os.getpid()] = Pool()
    return _pools[os.getpid()]
