"""Starts a program that dies with its parent: `python shim.py PARENT SIGNAL UID GID PROGRAM ARGS…`.

Run by path, without the project: it becomes UID when that is not `-`, asks the kernel to send SIGNAL when the parent
ends (even by kill -9), and becomes PROGRAM. Only Linux has such a wish; elsewhere the program runs untied.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def drop_to(uid: int, gid: int) -> None:
    """Become this user, without further groups."""
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    os.chdir("/")


def tie_to_parent(signal_number: int) -> None:
    """Let the kernel send this process the signal when the thread that forked it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


def main() -> None:
    """Tie this process to its parent, then become the program."""
    parent, number, uid, gid, *program = sys.argv[1:]
    if uid != "-":
        drop_to(int(uid), int(gid))
    tie_to_parent(int(number))  # after the change of user, which would clear it
    if os.getppid() != int(parent):
        sys.exit(1)  # the parent ended before the kernel was told
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.setsid()  # Ctrl-C reaches the supervisor alone, which stops everything in order
    os.execv(program[0], program)  # noqa: S606  (no shell is the point)


if __name__ == "__main__":
    main()
