"""Running tools: what comes back, and every way in which a tool can fail; the next call always works."""

import asyncio
import logging
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from ground.errors import Conflict, InvalidInput, NotFound, TimedOut, Unprocessable, UpstreamFailed
from identity.principal import Principal
from tests.cast import Cast
from tests.toolbox.conftest import Use, change, eventually
from toolbox import processes
from toolbox.execution import run_tool, start

# The tool, and the sentence after its name.
FAILURES = {
    "raises": "failed; try again, and report it with the trace id if it stays.",
    "raises_inline": "failed; try again, and report it with the trace id if it stays.",
    "floods": "returned more than the 1048576 bytes that a result may have; ask for less.",
    "breaks_its_schema": "returned something that breaks its output schema; report it with the trace id.",
    "returns_a_socket": "returned something that is not JSON; report it with the trace id.",
    "returns_nan": "returned something that is not JSON; report it with the trace id.",
    "returns_nan_inside": "returned something that is not JSON; report it with the trace id.",
    "returns_no_number": "returned something that is not JSON; report it with the trace id.",
    "hoards": "needed more than its 64 MB of memory and was stopped; ask for less.",
    "exits": "ended its process before it answered; report it with the trace id.",
}


def test_a_tool_returns_its_value_with_defaults_filled_in(cast: Cast, use: Use) -> None:
    assert use(cast.ben, "weather", {"city": "Hamburg"}) == {"city": "Hamburg", "units": "c"}


@pytest.mark.parametrize("data", [0, "", False, None, [], {"a": [1.5, "ä\ud7ff"]}, 10**30])
def test_any_json_goes_in_and_out_unchanged(cast: Cast, bad_tools: None, data: Any) -> None:
    assert start(cast.ben.principal, "tells_its_process", data).result(30)["given"] == data


def test_null_is_a_value(cast: Cast, use: Use) -> None:
    assert use(cast.ben, "returns_nothing_inside") == {"values": [1.5, None, "null"], "more": {"none": None}}


@pytest.mark.parametrize(("tool_id", "said"), FAILURES.items())
def test_a_failing_tool_is_one_sentence_and_a_trace_id(
    cast: Cast, use: Use, caplog: pytest.LogCaptureFixture, tool_id: str, said: str
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(UpstreamFailed) as failed:
        use(cast.ben, tool_id)

    assert failed.value.status == 502
    assert failed.value.sentence == f"Tool {tool_id} {said}"
    assert re.fullmatch(r"[0-9a-f]{32}", failed.value.trace_id or "")
    assert failed.value.trace_id in caplog.text
    assert ("the secret of the exception" in caplog.text) is tool_id.startswith("raises")
    assert use(cast.ben, "weather", {"city": "Kiel"})["city"] == "Kiel"


@pytest.mark.parametrize("tool_id", ["ends_inline", "ends_inline_async"])
@pytest.mark.parametrize(
    "end", ["exit", "interrupt", "cancelled", "cancelled elsewhere", "exhausted", "late", "closed"]
)
def test_an_inline_tool_ends_nothing_but_its_call(cast: Cast, use: Use, tool_id: str, end: str) -> None:
    with pytest.raises(UpstreamFailed, match=rf"^Tool {tool_id} failed; try again, and report it with the trace id"):
        use(cast.ben, tool_id, end, seconds=2)

    assert use(cast.ben, "weather", {"city": "Kiel"})["city"] == "Kiel"


@pytest.mark.parametrize("tool_id", ["cancels_its_task", "exits_when_checked", "exits_when_asked"])
def test_an_inline_tool_cannot_end_its_task_either(cast: Cast, use: Use, tool_id: str) -> None:
    with pytest.raises(UpstreamFailed, match=rf"^Tool {tool_id} failed; try again, and report it with the trace id"):
        use(cast.ben, tool_id, seconds=2)


async def test_cancelling_a_call_cancels_an_inline_tool(
    cast_principal: Principal, bad_tools: None, tmp_path: Path
) -> None:
    work = asyncio.ensure_future(run_tool(cast_principal, "waits_inline", str(tmp_path / "file")))
    await asyncio.to_thread(eventually, (tmp_path / "file-begun").exists)

    work.cancel()

    with pytest.raises(asyncio.CancelledError):
        await work
    await asyncio.to_thread(eventually, (tmp_path / "file-ended").exists)


@pytest.mark.parametrize("tool_id", ["loops", "sleeps_inline"])
def test_a_tool_that_never_ends_is_stopped_at_its_time(cast: Cast, use: Use, tool_id: str) -> None:
    use(cast.ben, "weather", {"city": "Kiel"})
    began = time.monotonic()

    with pytest.raises(TimedOut, match=rf"^Tool {tool_id} took longer than 0\.\d seconds and was stopped; ask for"):
        use(cast.ben, tool_id)

    assert time.monotonic() - began < 5
    assert use(cast.ben, "weather", {"city": "Kiel"})["city"] == "Kiel"


def test_a_caller_may_allow_less_time(cast: Cast, use: Use, tmp_path: Path) -> None:
    with pytest.raises(TimedOut, match=r"took longer than 1 seconds"):
        use(cast.ben, "sleeps", str(tmp_path / "pid"), seconds=1)


def test_a_flood_never_reaches_the_server(cast: Cast, use: Use) -> None:
    use(cast.ben, "weather", {"city": "Kiel"})
    before = psutil.Process().memory_info().rss

    with pytest.raises(UpstreamFailed):
        use(cast.ben, "floods")

    assert psutil.Process().memory_info().rss - before < 20 * 1024 * 1024


def test_input_that_breaks_the_schema_names_each_field(cast: Cast, use: Use) -> None:
    with pytest.raises(InvalidInput) as refused:
        use(cast.ben, "weather", {"city": 5})

    assert refused.value.body() == {
        "error": "Invalid input for the tool weather",
        "issues": [{"field": "data.city", "message": "Input should be a valid string"}],
    }


def test_a_tool_may_say_itself_what_is_wrong(cast: Cast, use: Use) -> None:
    with pytest.raises(Unprocessable, match=r"^There is no weather today\.$"):
        use(cast.ben, "refuses", {"city": "Kiel"})
    with pytest.raises(InvalidInput) as refused:
        use(cast.ben, "refuses", {"city": "nowhere"})

    assert refused.value.issues == [{"field": "data.city", "message": "is nowhere"}]


def test_a_process_is_used_again(cast: Cast, use: Use) -> None:
    first, second = (use(cast.ben, "tells_its_process")["pid"] for _ in range(2))

    assert first == second
    assert first != os.getpid()


def test_a_process_in_which_a_tool_left_something_is_not_used_again(cast: Cast, use: Use) -> None:
    left = use(cast.ben, "leaves_a_thread")

    assert use(cast.ben, "tells_its_process")["pid"] != left


def test_what_a_stopped_tool_has_started_ends_with_it(cast: Cast, use: Use, tmp_path: Path) -> None:
    with pytest.raises(TimedOut):
        use(cast.ben, "leaves_a_program", str(tmp_path / "pid"))

    left = int((tmp_path / "pid").read_text())
    eventually(lambda: not psutil.pid_exists(left) or psutil.Process(left).status() == "zombie")


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("then", ["wait", "exit", "return"])
def test_no_session_of_its_own_saves_what_a_tool_has_started(
    cast: Cast, use: Use, tmp_path: Path, then: str, hidden: bool
) -> None:
    with suppress(TimedOut, UpstreamFailed):
        use(cast.ben, "leaves_a_session", {"file": str(tmp_path / "pid"), "then": then, "hidden": hidden})

    left = int((tmp_path / "pid").read_text())
    eventually(lambda: not psutil.pid_exists(left))


@pytest.mark.parametrize("hidden", [False, True])
def test_a_process_in_which_a_tool_left_a_program_is_not_used_again(
    cast: Cast, use: Use, tmp_path: Path, hidden: bool
) -> None:
    left = use(cast.ben, "leaves_a_session", {"file": str(tmp_path / "pid"), "then": "return", "hidden": hidden})

    assert use(cast.ben, "tells_its_process")["pid"] != left
    eventually(lambda: not psutil.pid_exists(left))


def test_a_process_in_which_every_program_has_ended_is_used_again(cast: Cast, use: Use) -> None:
    first = use(cast.ben, "runs_a_program")

    assert use(cast.ben, "tells_its_process")["pid"] == first


def test_a_tool_may_use_the_database(cast: Cast, use: Use) -> None:
    first, second = (use(cast.ben, "counts_models") for _ in range(2))

    assert first["answer"] == 42
    assert second == first


def test_a_tool_knows_who_calls(cast: Cast, use: Use) -> None:
    context = use(
        cast.ben, "tells_its_context", run_id="run-1", idempotency_key="key-1", request_context={"a": 1}, seconds=7
    )

    assert context == {
        "tool_id": "tells_its_context",
        "tenant_id": str(cast.tenant.id),
        "tenant_slug": cast.tenant.slug,
        "user_id": str(cast.ben.user.id),
        "user_name": cast.ben.principal.user_name,
        "user_email": cast.ben.user.email,
        "role": "member",
        "seconds": 7,
        "run_id": "run-1",
        "idempotency_key": "key-1",
        "request_context": {"a": 1},
    }


async def test_cancelling_a_call_kills_its_process(cast_principal: Any, bad_tools: None, tmp_path: Path) -> None:
    written = tmp_path / "pid"
    work = asyncio.ensure_future(run_tool(cast_principal, "sleeps", str(written)))
    await asyncio.to_thread(eventually, written.exists)
    pid = int(written.read_text())

    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    await asyncio.to_thread(eventually, lambda: not psutil.pid_exists(pid))


async def test_more_calls_than_processes_wait_for_their_turn(cast_principal: Any, bad_tools: None) -> None:
    answers = await asyncio.gather(*(run_tool(cast_principal, "tells_its_process", number) for number in range(20)))

    assert [answer["given"] for answer in answers] == list(range(20))
    assert len({answer["pid"] for answer in answers}) <= 4


async def test_waiting_for_a_turn_ends_at_the_time_of_the_call(
    cast_principal: Any, bad_tools: None, tmp_path: Path
) -> None:
    files = [tmp_path / f"{number}" for number in range(4)]
    busy = [asyncio.ensure_future(run_tool(cast_principal, "sleeps", str(file))) for file in files]
    await asyncio.to_thread(eventually, lambda: all(file.exists() for file in files))

    with pytest.raises(TimedOut, match=r"^Tool weather did not get its turn within 0\.3 seconds and was not begun"):
        await run_tool(cast_principal, "weather", {"city": "Kiel"}, seconds=0.3)

    for work in busy:
        work.cancel()
    await asyncio.gather(*busy, return_exceptions=True)
    assert await run_tool(cast_principal, "weather", {"city": "Kiel"}) == {"city": "Kiel", "units": "c"}


def test_a_process_without_work_ends_after_a_while(cast: Cast, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "IDLE_SECONDS", 0.1)

    idle = use(cast.ben, "tells_its_process")["pid"]

    eventually(lambda: not psutil.pid_exists(idle))
    assert use(cast.ben, "tells_its_process")["pid"] != idle


def test_an_idle_process_that_was_killed_is_replaced(cast: Cast, use: Use) -> None:
    killed = use(cast.ben, "tells_its_process")["pid"]
    psutil.Process(killed).kill()
    eventually(lambda: not psutil.pid_exists(killed) or psutil.Process(killed).status() == "zombie")

    assert use(cast.ben, "tells_its_process")["pid"] != killed


def test_a_tool_that_needs_approval_is_not_run(cast: Cast, use: Use, tmp_path: Path) -> None:
    with pytest.raises(Conflict, match=r"^Tool needs_approval runs only after a person has approved the call"):
        use(cast.ana, "needs_approval", str(tmp_path / "file"))
    assert not (tmp_path / "file").exists()

    use(cast.ana, "needs_approval", str(tmp_path / "file"), approved=True)
    assert (tmp_path / "file").exists()


@pytest.mark.parametrize("tool_id", ["no-such-tool", "weather"])
def test_a_missing_and_a_disabled_tool_are_not_found(cast: Cast, use: Use, tool_id: str) -> None:
    change(cast, "weather", enabled=False)

    with pytest.raises(NotFound, match=r"^Tool not found$"):
        use(cast.ana, tool_id, {"city": "Kiel"})


def test_a_tool_of_another_department_is_not_found(cast: Cast, use: Use) -> None:
    change(cast, "weather", department=cast.support)

    with pytest.raises(NotFound, match=r"^Tool not found$"):
        use(cast.ben, "weather", {"city": "Kiel"})
    assert use(cast.bea, "weather", {"city": "Kiel"})["city"] == "Kiel"


def test_who_may_not_execute_finds_nothing(cast: Cast, use: Use) -> None:
    with pytest.raises(NotFound):
        use(cast.vic, "weather", {"city": "Kiel"})


def test_another_tenant_s_switch_is_its_own(cast: Cast, use: Use) -> None:
    change(cast, "weather", enabled=False)

    assert use(cast.zoe, "weather", {"city": "Kiel"})["city"] == "Kiel"
