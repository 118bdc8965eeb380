"""Keeps programs running: starts them again with a growing pause, and stops them in order when asked to."""

import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import FrameType, TracebackType

from launch.child import Child, Program

FIRST_PAUSE, LONGEST_PAUSE, HEALTHY_AFTER = 0.5, 15.0, 30.0  # seconds
GROUP_SECONDS = 4.0  # for each group of programs to stop in order; there are two, and ten seconds for all
ASK_AGAIN = 0.1  # seconds between two questions whether something answers
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(Exception):
    """Somebody asked us to stop."""


def say(name: str, line: str) -> None:
    """One line of a program, marked with its name; a closed terminal is no reason to fall."""
    with suppress(OSError):
        sys.stdout.write(f"{name:<8} | {line}\n")  # in one piece: several programs speak at once
        sys.stdout.flush()


class Kept:
    """One program that runs as long as the supervisor."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.child: Child | None = None
        self.pause = FIRST_PAUSE
        self._started = self.due = time.monotonic()

    def look_after(self, now: float) -> None:
        """Start it when it is due; notice when it ended."""
        if self.child is None and now >= self.due:
            self._started = now
            self.child = Child(self.program, lambda line: say(self.program.name, line))
        elif self.child is not None and not self.child.is_running:
            self.child.clear_away()
            if now - self._started > HEALTHY_AFTER:
                self.pause = FIRST_PAUSE
            say(self.program.name, f"ended ({ending(self.child)}); starts again in {self.pause:g} s")
            self.child, self.due = None, now + self.pause
            self.pause = min(self.pause * 2, LONGEST_PAUSE)

    def seconds_to_wait(self, now: float) -> float | None:
        """Until the next start; None while it runs."""
        return max(0.0, self.due - now) if self.child is None else None


def ending(child: Child) -> str:
    """How it ended, in words."""
    code = child.process.returncode
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class Supervisor:
    """Runs in the main thread, which alone may start children. Groups are stopped last come, first served."""

    def __init__(self) -> None:
        self.groups: list[list[Kept]] = []
        self._is_asked_to_stop = False
        self._wake, self._alarm = socket.socketpair()
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> "Supervisor":
        for end in (self._wake, self._alarm):
            end.setblocking(False)
        self._selector.register(self._wake, selectors.EVENT_READ)
        signal.set_wakeup_fd(self._alarm.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)  # only so that it wakes us
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._is_asked_to_stop = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._selector.close()
        self._wake.close()
        self._alarm.close()

    def keep(self, programs: Iterable[Program]) -> None:
        """Start a group of programs, and keep them running from now on."""
        self.groups.append([Kept(program) for program in programs])
        self._look_after_all()

    def carry_out(self, program: Program) -> int:
        """Run one program to its end while the kept ones are looked after; its exit code."""
        child = Child(program, lambda line: say(program.name, line))
        try:
            while child.is_running:
                self._round()
        finally:
            child.clear_away()
        return int(child.process.returncode)

    def wait_until(self, answers: Callable[[], bool], seconds: float) -> bool:
        """Whether it answered in time; the kept programs are looked after meanwhile."""
        deadline = time.monotonic() + seconds
        while not answers():
            if time.monotonic() > deadline:
                return False
            self._round(ASK_AGAIN)
        return True

    def run(self) -> None:
        """Look after everything until somebody asks us to stop."""
        while True:
            self._round()

    def stop(self) -> None:
        """End everything: in order while there is time, by force after that."""
        while self.groups:
            children = [kept.child for kept in self.groups.pop() if kept.child is not None]
            for child in children:
                child.ask_to_stop()
            deadline = time.monotonic() + GROUP_SECONDS
            for child in children:
                child.wait(max(0.0, deadline - time.monotonic()))
            for child in children:
                child.clear_away()

    def _look_after_all(self) -> None:
        now = time.monotonic()
        for group in self.groups:
            for kept in group:
                kept.look_after(now)

    def _round(self, longest: float | None = None) -> None:
        """Sleep until a child ends, a pause is over, a signal comes, or `longest` seconds are over."""
        self._look_after_all()
        if self._is_asked_to_stop:
            raise Stopped
        now = time.monotonic()
        waits = [kept.seconds_to_wait(now) for group in self.groups for kept in group]
        until = [seconds for seconds in (*waits, longest) if seconds is not None]
        if self._selector.select(min(until, default=None)):
            while _drained(self._wake):
                pass


def _drained(end: socket.socket) -> bool:
    try:
        return bool(end.recv(4096))
    except BlockingIOError:
        return False
