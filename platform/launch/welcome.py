"""What `up` prints when it serves: addresses, the new demo keys, and snippets for clients."""

import json
from typing import Any

from launch.addresses import Addresses


def welcome(now: Addresses, facts: dict[str, Any] | None, *, is_new: bool) -> str:
    """The whole text; keys and passwords stand in it only when the demo is new."""
    lines = ["", "Atrium serves.", f"  MCP    {now.mcp}", f"  admin  {now.admin}"]
    facts = facts if facts and facts.get("keys") else None
    if facts and is_new:
        lines += _secrets(facts)
    elif facts:
        lines += ["  demo keys and passwords: see demo.json in the data folder"]
    return "\n".join([*lines, *_snippets(now, _example_key(facts) if is_new else None), ""])


def _secrets(facts: dict[str, Any]) -> list[str]:
    lines = ["", "Demo keys (shown once; also in demo.json):"]
    lines += [f"  {name:<9} {key}" for name, key in facts.get("keys", {}).items()]
    for title, entry in (("admin login", facts.get("admin", {})), ("superuser", facts.get("superuser", {}))):
        if entry.get("username"):
            lines.append(f"{title}: {entry['username']} / {entry['password']}")
    return lines


def _example_key(facts: dict[str, Any] | None) -> str | None:
    key = (facts or {}).get("keys", {}).get("member")
    return str(key) if key else None


def _snippets(now: Addresses, key: str | None) -> list[str]:
    key = key or "$KEY"
    entry = {"url": now.mcp, "headers": {"Authorization": f"Bearer {key}"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami", "arguments": {}}}
    return [
        "",
        "Claude Code:",
        f'  claude mcp add --transport http atrium {now.mcp} --header "Authorization: Bearer {key}"',
        "Cursor (.cursor/mcp.json):",
        f"  {json.dumps({'mcpServers': {'atrium': entry}})}",
        "VS Code (.vscode/mcp.json):",
        f"  {json.dumps({'servers': {'atrium': {'type': 'http', **entry}}})}",
        "curl:",
        f"  curl -s {now.mcp} -H \"Authorization: Bearer {key}\" -H 'Content-Type: application/json' \\",
        f"    -H 'Accept: application/json, text/event-stream' -d '{json.dumps(call)}'",
    ]
