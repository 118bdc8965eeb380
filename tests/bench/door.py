"""tools/list and tools/call through the door, beside the bare server of the SDK: ratios of medians in one run."""

import json
import statistics
import tempfile
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from tests.bench.load import Measured, load, request_of
from tests.bench.servers import server_of
from tests.cast import Cast, make_cast

ROUNDS = 3

# (what, server) → how many times the SDK's figure it should reach
REACH = {
    ("tools/list", "uvicorn"): 12.0,
    ("tools/list", "daphne"): 3.0,
    ("tools/call", "uvicorn"): 1.2,
    ("tools/call", "daphne"): 0.9,
}


# `agent_list` is answered from memory until an agent or somebody's rights change; `department_list` reads the database
# each time. The SDK server reads the database for both.
REQUESTS = {
    "tools/list": request_of("tools/list"),
    "tools/call": request_of("tools/call", name="agent_list", arguments={}),
    "call + read": request_of("tools/call", name="department_list", arguments={}),
}


def make_agents(cast: Cast) -> None:
    """Six agents, as in the demo."""
    from agents.models import Agent

    for number in range(1, 7):
        Agent.objects.create(
            tenant=cast.tenant,
            slug=f"agent-{number}",
            name=f"Agent {number}",
            description="Answers questions about orders, invoices and deliveries of the organisation.",
            instructions="Answer briefly.",
            model="offline/demo",
        )


def definitions(url: str, key: str) -> str:
    """The tools that our server lists, as the SDK server is to list them."""
    headers, body = request_of("tools/list")
    request = urllib.request.Request(url, body.encode(), {**headers, "Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.dumps(json.load(answer)["result"]["tools"])


def run() -> bool:
    """Measure, print, and say whether everything was reached."""
    cast = make_cast()
    make_agents(cast)
    key = cast.ben.key
    measured: dict[tuple[str, str], list[Measured]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = {kind: stack.enter_context(server_of(kind)) for kind in ("uvicorn", "daphne")}
        (folder / "tools.json").write_text(definitions(urls["uvicorn"], key))
        tools = len(json.loads((folder / "tools.json").read_text()))
        urls["sdk"] = stack.enter_context(
            server_of("sdk", BENCH_TENANT=str(cast.tenant.id), BENCH_TOOLS=str(folder / "tools.json"))
        )
        for turn in range(ROUNDS + 1):
            for what, (headers, body) in REQUESTS.items():
                for kind, url in urls.items():
                    found = load(url, {**headers, "Authorization": f"Bearer {key}"}, body, seconds=4 if turn else 2)
                    if turn:  # the first round warms up
                        measured.setdefault((what, kind), []).append(found)
    return _report(measured, tools)


def _report(measured: dict[tuple[str, str], list[Measured]], tools: int) -> bool:
    print(f"\nThe door: {tools} tools, 32 connections, one process each, median of {ROUNDS} interleaved rounds")
    print(f"{'':12} {'server':8} {'req/s':>8} {'p50 ms':>7} {'p99 ms':>7} {'x SDK':>6} {'reach':>6}  failed")
    good = True
    for what in REQUESTS:
        base = _median(measured[what, "sdk"], "per_second")
        for kind in ("uvicorn", "daphne", "sdk"):
            rows = measured[what, kind]
            rate, failed = _median(rows, "per_second"), sum(row.failed for row in rows)
            wanted = REACH.get((what, kind))
            reached = failed == 0 and (wanted is None or rate / base >= wanted)
            good &= reached
            print(
                f"{what:12} {kind:8} {rate:8.0f} {_median(rows, 'p50'):7.1f} {_median(rows, 'p99'):7.1f} "
                f"{rate / base:6.2f} {wanted or '':>6}  {failed}{'' if reached else '  <- not reached'}"
            )
    return good


def _median(rows: list[Measured], name: str) -> float:
    return statistics.median(getattr(row, name) for row in rows)
