"""Load from autocannon, and what it measured."""

import json
from dataclasses import dataclass
from typing import Any

from tests.conformance.node import HERE, node

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(frozen=True)
class Measured:
    """One run: requests per second, latencies in milliseconds, and answers that were no 200."""

    per_second: float
    p50: float
    p99: float
    failed: int


def request_of(method: str, **params: Any) -> tuple[dict[str, str], str]:
    """Headers and body of a modern request."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
    }
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return headers, json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}})


def load(url: str, headers: dict[str, str], body: str, *, connections: int = 32, seconds: int = 4) -> Measured:
    """Send the same request on kept-alive connections for some seconds."""
    finished = node(
        str(HERE / "node_modules" / "autocannon" / "autocannon.js"),
        "--json", "--no-progress", "-c", str(connections), "-d", str(seconds), "-m", "POST", "-b", body,
        *(part for name, value in headers.items() for part in ("-H", f"{name}={value}")),
        url,
        capture_output=True, timeout=seconds + 60,
    )  # fmt: skip
    if finished.returncode:
        raise RuntimeError(f"autocannon failed: {finished.stderr[-500:]}")
    found = json.loads(finished.stdout)
    return Measured(
        per_second=found["requests"]["average"],
        p50=found["latency"]["p50"],
        p99=found["latency"]["p99"],
        failed=found["non2xx"] + found["errors"] + found["timeouts"],
    )
