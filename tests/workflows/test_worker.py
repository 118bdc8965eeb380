"""What a caller does not wait out is carried out by a real worker."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.test import override_settings

from durable.models import PAUSE
from tests.workflows.client import Runs, outputs
from workflows.engine import LEDGER
from workflows.models import WorkflowRun

pytestmark = pytest.mark.usefixtures("worker")


def test_a_slow_step_is_handed_to_a_worker(ben: Runs) -> None:
    answer = ben.start("t-slow", {"a": 1})

    assert (answer["status"], answer["result"]) == ("success", {"a": 1})


def test_an_async_step_runs(ben: Runs) -> None:
    assert ben.start("t-async", [1])["result"] == [1]


def test_a_sleep_passes_its_input_through(ben: Runs) -> None:
    begun = time.monotonic()

    answer = ben.start("t-sleep", {"n": 1})

    assert (answer["status"], answer["result"]) == ("success", {"n": 4})
    assert time.monotonic() - begun >= 0.3
    assert outputs(answer)["sleep_t-sleep_0"] == {"n": 2}


def test_a_sleeping_run_says_until_when(ben: Runs) -> None:
    with override_settings(WAIT_SECONDS=0.1):
        answer = ben.start("t-sleep-long", {"n": 1}, run_id="z1")

    assert answer["status"] == "running"
    run = ben.run("t-sleep-long", "z1")
    assert run["status"] == "waiting"
    assert run["steps"]["sleep_t-sleep-long_0"]["status"] == "waiting"
    assert run["steps"]["sleep_t-sleep-long_0"]["wakeAt"] > run["createdAt"]
    assert run["waitingPaths"] == {"sleep_t-sleep-long_0": [0]}
    ben.cancel("t-sleep-long", "z1")


def test_a_call_that_waited_long_enough_answers_running(ben: Runs) -> None:
    with override_settings(WAIT_SECONDS=0.1):
        answer = ben.start("t-slow", 1, run_id="w1")

    assert {"status": "running", "runId": "w1"}.items() <= answer.items()
    assert "result" not in answer
    assert ben.start("t-slow", 1, run_id="w1")["result"] == 1


def test_a_step_over_its_time_fails_with_a_sentence(ben: Runs) -> None:
    answer = ben.start("t-timeout", 1)

    sentence = "Step slowly did not end within 0.1 seconds and was stopped."
    assert answer["error"] == {"message": sentence, "name": "TimedOut"}


def test_parallel_steps_take_the_time_of_one(ben: Runs) -> None:
    ben.start("t-slow", 1)  # the worker is warm

    begun = time.monotonic()
    answer = ben.start("t-parallel-slow", 1)

    assert answer["result"] == {"slowly": 1, "slowly2": 1, "slowly3": 1}
    assert time.monotonic() - begun < 1.4


def test_a_window_of_items_slides(ben: Runs) -> None:
    answer = ben.start("t-each-slow", [1, 2, 3, 4], run_id="e1")

    assert answer["result"] == [1, 2, 3, 4]
    items = answer["steps"]["slowly"]["metadata"]["items"]
    assert items[2]["startedAt"] >= min(items[0]["endedAt"], items[1]["endedAt"])


def test_a_running_run_is_cancelled_at_once(ben: Runs) -> None:
    def start() -> Any:
        try:
            return ben.start("t-very-slow", 1, run_id="c1")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(start)
        while ben.request_status("t-very-slow", "c1") != "running":
            time.sleep(0.05)  # until the run is there
        ben.cancel("t-very-slow", "c1")
        answer = waiting.result(timeout=5)

    assert answer["status"] == "canceled"
    assert ben.run("t-very-slow", "c1")["status"] == "canceled"


def test_a_run_that_is_asked_to_pause_stops_after_its_step_and_goes_on(ben: Runs) -> None:
    with override_settings(WAIT_SECONDS=0.1):
        ben.start("t-slow-twice", 1, run_id="p1")
    run = WorkflowRun.objects.get(run_id="p1", started_by=ben.person.user)
    while not LEDGER.ask(run.id, PAUSE):
        time.sleep(0.02)  # until a worker holds it
    while ben.request_status("t-slow-twice", "p1") != "paused":
        time.sleep(0.05)  # until it has stopped
    assert set(ben.run("t-slow-twice", "p1")["steps"]) == {"slowly"}

    answer = ben.resume("t-slow-twice", "p1")

    assert (answer["status"], answer["result"]) == ("success", 1)


def test_a_retry_with_a_delay_waits_without_a_thread(ben: Runs) -> None:
    answer = ben.start("t-retry-later", {"n": 1})

    assert (answer["result"], answer["steps"]["third_time"]["attempts"]) == ({"retryCount": 2}, 3)


def test_a_step_resumed_beside_a_running_one_goes_on_at_once(ben: Runs) -> None:
    with override_settings(WAIT_SECONDS=0.1):
        ben.start("t-slow-and-approval", {"n": 1}, run_id="b1")
        while "approve" not in ben.run("t-slow-and-approval", "b1")["suspendedPaths"]:
            time.sleep(0.05)  # until the approval waits
        ben.resume("t-slow-and-approval", "b1", {"ok": True}, step="approve")

    answer = ben.start("t-slow-and-approval", {"n": 1}, run_id="b1")
    assert answer["result"]["approve"] == {"n": 1, "ok": True}


def test_a_tool_and_an_agent_are_steps(ben: Runs, helper: Any) -> None:
    answer = ben.start("t-tool-and-agent", {"expression": "6*7"})

    assert answer["status"] == "success"
    assert answer["steps"]["calculator"]["output"]["result"] in (42, "42")
    assert answer["result"]["text"]
