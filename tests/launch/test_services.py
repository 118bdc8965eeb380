"""How other commands find the embedded services."""

import os
from pathlib import Path

from launch import services
from launch.services import Holder, Remembered

FACTS = Remembered(databaseUrl="postgres://here", redisUrl="redis://here", database={"port": 1, "password": "x"})


def test_a_living_holder_leads_to_them(tmp_path: Path) -> None:
    services.remember(tmp_path, {**FACTS, "holder": services.this_process()})

    assert services.urls(tmp_path) == ("postgres://here", "redis://here")


def test_before_the_first_start_there_are_none(tmp_path: Path) -> None:
    assert services.urls(tmp_path) == (None, None)


def test_a_later_process_with_the_same_pid_is_not_the_holder(tmp_path: Path) -> None:
    services.remember(tmp_path, {**FACTS, "holder": Holder(pid=os.getpid(), started=1.0)})

    assert services.urls(tmp_path) == (None, None)


def test_a_stop_forgets_the_holder_and_keeps_the_ports(tmp_path: Path) -> None:
    services.remember(tmp_path, {**FACTS, "holder": services.this_process()})

    services.forget_holder(tmp_path)

    assert services.urls(tmp_path) == (None, None)
    assert services.remembered(tmp_path) == FACTS
