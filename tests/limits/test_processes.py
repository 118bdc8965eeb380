"""Limits hold across processes, and outlive them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings

from config import ROOT
from ground.errors import RateLimited
from identity.principal import Credential
from limits.admission import admit
from tests.limits.conftest import TENANT, enters, eventually

Make = Callable[..., Credential]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts processes of `crowd`; none outlives the test."""
    children: list[subprocess.Popen[str]] = []

    def begin(key: Credential, **asked: Any) -> "subprocess.Popen[str]":
        numbers = ("kind", "id", "label", "calls_per_minute", "burst", "concurrent_calls")
        asked |= {"credential": {name: getattr(key, name) for name in numbers}, "tenant": str(TENANT)}
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.limits.crowd", json.dumps(asked)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ
            | {
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "REDIS_URL": settings.REDIS_URL,
                "DATABASE_URL": settings.DATABASE_URL,
                "DATA_DIR": str(settings.DATA_DIR),
            },
        )
        children.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        return child

    yield begin
    for child in children:
        child.kill()
        child.communicate()


def go(child: "subprocess.Popen[str]") -> None:
    """Let the process begin."""
    assert child.stdin is not None
    child.stdin.write("go\n")
    child.stdin.flush()


def answer(child: "subprocess.Popen[str]") -> int:
    """The number that the process printed."""
    assert child.stdout is not None
    return int(child.stdout.readline())


def test_320_parallel_calls_of_two_processes_at_limit_20_admit_exactly_20(credential: Make, start: Start) -> None:
    key = credential(calls_per_minute=1, burst=20)
    first, second = start(key, calls=160), start(key, calls=160)

    go(first)
    go(second)

    assert answer(first) + answer(second) == 20


def test_parallel_calls_of_two_processes_get_exactly_the_slots_there_are(credential: Make, start: Start) -> None:
    key = credential(calls_per_minute=6000, burst=1000, concurrent_calls=8)
    first, second = start(key, calls=160), start(key, calls=160)

    go(first)
    go(second)

    assert answer(first) + answer(second) == 8


def test_the_slot_of_a_killed_process_comes_back_when_its_lease_ends(credential: Make, start: Start) -> None:
    key = credential(burst=1000, concurrent_calls=1)
    holder = start(key, lease=1.0)
    go(holder)
    assert answer(holder) == 0

    holder.kill()
    holder.wait()

    with pytest.raises(RateLimited, match="already has 1 calls running"):
        admit(key, TENANT)
    eventually(lambda: enters(key))
