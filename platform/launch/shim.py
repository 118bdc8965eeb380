"""Starts a program that dies with its parent: `python shim.py PARENT SIGNAL USER PROGRAM ARGS…`.

Run by path, without the project: it drops to USER when that is not `-`, asks the kernel to send SIGNAL when the parent
ends (even by kill -9), and becomes PROGRAM.
"""

import ctypes
import os
import pwd
import signal
import sys

PR_SET_PDEATHSIG = 1


def drop_to(user: str) -> None:
    """Become this user, with its groups."""
    entry = pwd.getpwnam(user)
    os.initgroups(user, entry.pw_gid)
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)


def main() -> None:
    """Tie this process to its parent, then become the program."""
    parent, number, user, *program = sys.argv[1:]
    if user != "-":
        drop_to(user)
    if sys.platform == "linux":  # after the change of user, which would clear it
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != int(parent):
            sys.exit(0)  # the parent ended before the kernel was told
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.setpgid(0, 0)  # Ctrl-C reaches the supervisor alone, which stops everything in order
    os.execvp(program[0], program)  # noqa: S606


if __name__ == "__main__":
    main()
