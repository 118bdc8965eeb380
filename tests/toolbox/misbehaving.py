"""Tools that fail in every way, and some that do not."""

import asyncio
import concurrent.futures
import os
import subprocess
import sys
import threading
import time
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from ground.errors import InvalidInput, Unprocessable
from toolbox.context import ToolContext
from toolbox.declaring import tool


class Nothing(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Weather(BaseModel):
    """Where to look."""

    city: str
    units: str = "c"


class Report(BaseModel):
    city: str
    degrees: float


@tool(id="weather", annotations={"title": "Weather", "readOnlyHint": True})
def weather(data: Weather) -> dict[str, Any]:
    """Tells the weather."""
    return {"city": data.city, "units": data.units}


@tool(id="raises")
def raises(data: Nothing) -> None:
    """Raises."""
    raise RuntimeError("the secret of the exception")


@tool(id="raises_inline", inline=True)
def raises_inline(data: Nothing) -> None:
    """Raises in the server's own process."""
    raise RuntimeError("the secret of the exception")


_ENDS: dict[str, BaseException] = {
    "exit": SystemExit(3),
    "interrupt": KeyboardInterrupt(),
    "cancelled": asyncio.CancelledError(),
    "cancelled elsewhere": concurrent.futures.CancelledError(),
    "exhausted": StopIteration(),
    "late": TimeoutError(),
    "closed": GeneratorExit(),
}


@tool(id="ends_inline", inline=True)
def ends_inline(data: str) -> None:
    """Raises what would end more than its call, in a thread of the server's."""
    raise _ENDS[data]


@tool(id="ends_inline_async", inline=True)
async def ends_inline_async(data: str) -> None:
    """Raises what would end more than its call, on the server's loop."""
    raise _ENDS[data]


@tool(id="cancels_its_task", inline=True)
async def cancels_its_task(data: Nothing) -> None:
    """Cancels the task that it runs in."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(60)


@tool(id="waits_inline", timeout=30, inline=True)
async def waits_inline(data: str) -> None:
    """Writes a file once it waits, and another one when it is cancelled."""
    try:
        await asyncio.to_thread(_write, f"{data}-begun", 1)
        await asyncio.sleep(60)
    finally:
        _write(f"{data}-ended", 1)


class Exits(BaseModel):
    """A value that cannot be checked."""

    @model_validator(mode="before")
    @classmethod
    def checked(cls, value: Any) -> Any:
        """Ends the process."""
        raise SystemExit(3)


@tool(id="exits_when_checked", inline=True)
async def exits_when_checked(data: Nothing) -> Exits:
    """Returns a result that cannot be checked."""
    return {}  # type: ignore[return-value]


@tool(id="exits_when_asked", inline=True)
async def exits_when_asked(data: Exits) -> None:
    """Takes an input that cannot be checked."""


@tool(id="refuses")
def refuses(data: Weather) -> None:
    """Says what is wrong."""
    if data.city == "nowhere":
        raise InvalidInput("Invalid input for the tool refuses", [{"field": "data.city", "message": "is nowhere"}])
    raise Unprocessable("There is no weather today.")


@tool(id="loops", timeout=0.5)
def loops(data: Nothing) -> None:
    """Never ends."""
    while True:
        pass


@tool(id="sleeps", timeout=30)
async def sleeps(data: str) -> str:
    """Writes its process id to a file, and sleeps."""
    await asyncio.to_thread(_write, data, os.getpid())
    await asyncio.sleep(60)
    return "awake"


@tool(id="sleeps_inline", timeout=0.2, inline=True)
async def sleeps_inline(data: Nothing) -> None:
    """Sleeps in the server's own process."""
    await asyncio.sleep(60)


@tool(id="floods", memory_mb=1024)
def floods(data: Nothing) -> str:
    """Returns 50 MB."""
    return "x" * 50 * 1024 * 1024


@tool(id="breaks_its_schema")
def breaks_its_schema(data: Nothing) -> Report:
    """Returns what it does not promise."""
    return {"city": "Hamburg"}  # type: ignore[return-value]


@tool(id="returns_a_socket")
def returns_a_socket(data: Nothing) -> Any:
    """Returns what is no JSON."""
    return sys.stderr


@tool(id="returns_nan")
def returns_nan(data: Nothing) -> Any:
    """Returns a number that JSON has no word for."""
    return {"value": float("nan")}


@tool(id="returns_nan_inside")
def returns_nan_inside(data: Nothing) -> dict[str, Any]:
    """Returns a number that JSON has no word for in an object of anything."""
    return {"values": [1.5, None, (float("-inf"),)]}


@tool(id="returns_nothing_inside")
def returns_nothing_inside(data: Nothing) -> dict[str, Any]:
    """Returns null where it says so."""
    return {"values": [1.5, None, "null"], "more": {"none": None}}


@tool(id="returns_no_number")
def returns_no_number(data: Nothing) -> Report:
    """Returns a number that JSON has no word for where its schema says number."""
    return Report(city="Kiel", degrees=float("inf"))


@tool(id="hoards", memory_mb=64)
def hoards(data: Nothing) -> int:
    """Needs more memory than it may have."""
    kept = []
    while True:
        kept.append(bytearray(8 * 1024 * 1024))


@tool(id="exits")
def exits(data: Nothing) -> None:
    """Ends its process."""
    os._exit(3)


@tool(id="leaves_a_thread")
def leaves_a_thread(data: Nothing) -> int:
    """Leaves a thread behind."""
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return os.getpid()


@tool(id="leaves_a_program", timeout=0.5)
def leaves_a_program(data: str) -> None:
    """Starts a program that outlives its call, and writes its process id to a file."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    _write(data, child.pid)
    time.sleep(60)


class Start(BaseModel):
    """A program to leave behind."""

    file: str
    then: Literal["wait", "exit", "return"]
    hidden: bool = False


@tool(id="leaves_a_session", timeout=1.5)
def leaves_a_session(data: Start) -> int:
    """Starts a program in a session of its own, `hidden`: by one that ends, writes its id to a file, and goes on."""
    starter = [sys.executable, "-c", _STARTER, data.file] if data.hidden else ["sleep", "60"]
    child = subprocess.Popen(starter, start_new_session=True)
    if data.hidden:
        child.wait()
    else:
        _write(data.file, child.pid)
    if data.then == "wait":
        time.sleep(60)
    if data.then == "exit":
        os._exit(3)
    return os.getpid()


_STARTER = """
import subprocess, sys
pid = subprocess.Popen(["sleep", "60"], start_new_session=True).pid
open(sys.argv[1], "w").write(str(pid))
"""


@tool(id="runs_a_program")
def runs_a_program(data: Nothing) -> int:
    """Runs a program to its end, and starts one that it does not wait for but that ends."""
    subprocess.run(["true"], check=True)
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    ended.returncode = 0
    return os.getpid()


@tool(id="tells_its_process")
def tells_its_process(data: Any) -> Any:
    """Returns its process id and what it was given."""
    return {"pid": os.getpid(), "given": data}


@tool(id="tells_its_context")
def tells_its_context(data: Nothing, context: ToolContext) -> ToolContext:
    """Returns what it knows of the call."""
    return context


@tool(id="needs_approval", requires_approval=True)
def needs_approval(data: str) -> None:
    """Writes a file, once somebody has agreed."""
    _write(data, 1)


@tool(id="counts_models", uses_models=True)
def counts_models(data: Nothing) -> dict[str, int]:
    """Uses the database."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT 41 + 1")
        return {"answer": cursor.fetchone()[0], "pid": os.getpid()}


def _write(path: str, number: int) -> None:
    with open(f"{path}.part", "w") as file:
        file.write(str(number))
    os.rename(f"{path}.part", path)
