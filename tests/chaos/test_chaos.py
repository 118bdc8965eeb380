"""A small storm on each broker; `make chaos` is the big one."""

import subprocess
import sys

import pytest

from launch.programs import ROOT

SMALL = ("--runs", "16", "--broker-kills", "1", "--kill-every", "3", "--patience", "120")


def rage(broker: str) -> str:
    """The table, when everything came out right."""
    finished = subprocess.run(
        [sys.executable, "-m", "tests.chaos", "--broker", broker, *SMALL],
        cwd=ROOT, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def test_nothing_is_lost_or_done_twice_while_workers_and_valkey_die() -> None:
    assert "Valkey" in rage("valkey")


@pytest.mark.rabbitmq
def test_nothing_is_lost_or_done_twice_while_workers_and_rabbitmq_die() -> None:
    assert "RabbitMQ" in rage("rabbitmq")
