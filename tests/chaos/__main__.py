"""`make chaos`: workers and the broker are killed while runs are under way; nothing may be lost, doubled or wrong."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO

import config  # noqa: F401  (puts the source roots on the path)
from tests.bench.database import fresh_database
from tests.chaos import brokers
from tests.chaos.brokers import KINDS, Broker
from tests.services import running_services

# Leases and messages lapse sooner than in production, so that what is killed is taken up sooner.
SETTINGS = {
    "WORKFLOW_MODULES": "tests.chaos.flows",
    "RUN_LEASE_SECONDS": "3",
    "RUN_MESSAGE_SECONDS": "3",
    "RUN_INLINE_SECONDS": "0.03",
    "DATABASE_POOL": "16",
}
SHOWN = 40  # lines of the log, when something is wrong


def main() -> int:
    """0 when everything is as it must be."""
    wishes = _wishes()
    if len(wishes.broker) == 1:
        with running_services():
            return _raged(wishes.broker[0], wishes)
    # One after another, each in a process of its own: settings are read once.
    return max(_apart(kind) for kind in wishes.broker)


def _apart(kind: str) -> int:
    return subprocess.run(
        [sys.executable, "-m", "tests.chaos", *sys.argv[1:], "--broker", kind], check=False
    ).returncode


def _wishes() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    known = list(KINDS) if shutil.which("rabbitmq-server") else ["valkey"]
    parser.add_argument("--broker", nargs="+", choices=list(KINDS), default=known)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--broker-kills", type=int, default=2)
    parser.add_argument("--kill-every", type=float, default=3.0, metavar="SECONDS")
    parser.add_argument("--freeze-every", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--patience", type=float, default=300.0, metavar="SECONDS")
    return parser.parse_args()


def _raged(kind: str, wishes: argparse.Namespace) -> int:
    before, log_file = dict(os.environ), Path(tempfile.mkstemp(prefix="atrium-chaos-", suffix=".log")[1])
    try:
        with log_file.open("w", buffering=1) as log, brokers.running(kind, log) as broker:
            os.environ.update({**SETTINGS, **broker.environment})
            with fresh_database("config.settings"):
                code = _storm(broker, wishes, log)
        if code:
            print("\n".join(["", *log_file.read_text().splitlines()[-SHOWN:]]))
        return code
    finally:
        os.environ.clear()
        os.environ.update(before)
        log_file.unlink()


def _storm(broker: Broker, wishes: argparse.Namespace, log: TextIO) -> int:
    # They read models, which are there only now.
    from tests.cast import make_cast
    from tests.chaos.effects import make_tables
    from tests.chaos.fleet import Fleet
    from tests.chaos.storm import Size, Storm
    from tests.chaos.verdict import judge, table

    make_tables()
    principal = make_cast().ana.by_key()
    size = Size(wishes.runs, wishes.broker_kills, wishes.kill_every, wishes.freeze_every, wishes.patience)
    fleet = Fleet(dict(os.environ), log)
    try:
        fleet.start()
        seen = Storm(principal, fleet, broker, size).rage()
    finally:
        fleet.stop()
    verdict = judge(principal, seen)
    print(table([(broker.name, seen, verdict)]))
    print("\n".join(verdict.faults))
    return 1 if verdict.faults else 0


if __name__ == "__main__":
    sys.exit(main())
