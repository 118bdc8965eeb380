"""`manage.py up`: what it starts, what it refuses, and how it ends."""

import json
import signal
import socket
import stat
import time

import psutil

from tests.launch.running import DataFolder, Up, alive, eventually


def test_it_serves_and_is_ready(served: Up) -> None:
    assert served.folder.get("/health") == 200
    eventually(lambda: served.folder.get("/ready") == 200, 15)


def test_it_prints_addresses_and_snippets(served: Up) -> None:
    base = f"http://127.0.0.1:{served.folder.port}"

    assert f"  MCP    {base}/api/mcp\n  admin  {base}/admin/\n" in served.output
    assert f"claude mcp add --transport http atrium {base}/api/mcp" in served.output


def test_it_writes_the_demo_for_its_owner_alone(served: Up) -> None:
    path = served.folder.path / "demo.json"
    facts = json.loads(path.read_text())

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert set(facts["keys"]) == {"owner", "admin", "operator", "member", "viewer", "router", "readonly"}
    assert facts["keys"]["owner"] in served.output
    assert facts["mcpUrl"] == f"http://127.0.0.1:{served.folder.port}/api/mcp"


def test_other_commands_find_its_database(served: Up) -> None:
    found = served.folder.manage("migrate", "--check")

    assert (found.returncode, found.stderr) == (0, "")


def test_a_second_one_says_who_holds_the_folder(served: Up) -> None:
    refused = served.folder.manage("up")

    assert refused.returncode == 1
    assert refused.stderr == (
        f"CommandError: Another `manage.py up` (process {served.process.pid}) holds {served.folder.path}; "
        "stop it, or set DATA_DIR to another folder.\n"
    )


def test_a_busy_port_is_noticed_before_anything_starts(folder: DataFolder) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]

        refused = folder.manage("up", PORT=str(taken))

    assert refused.returncode == 1
    assert refused.stderr == (
        f"CommandError: Port {taken} on 127.0.0.1 is in use by another program; stop it, or set PORT to a free port.\n"
    )
    assert not (folder.path / "postgres").exists()


def test_an_away_database_of_ones_own_is_named(folder: DataFolder) -> None:
    refused = folder.manage("up", DATABASE_URL="mysql://127.0.0.1/atrium")

    assert refused.returncode != 0
    assert "DATABASE_URL must name a PostgreSQL database" in refused.stderr


def test_sigterm_ends_all_within_ten_seconds_and_a_new_start_keeps_everything(folder: DataFolder) -> None:
    up = Up(folder, "--workers", "2")
    demo, processes = (folder.path / "demo.json").read_text(), up.descendants()
    asked = time.monotonic()

    up.process.send_signal(signal.SIGTERM)

    assert up.process.wait(10) == 0
    assert time.monotonic() - asked < 10
    assert alive(processes) == []
    again = Up(folder)
    again.end()
    assert (folder.path / "demo.json").read_text() == demo
    assert json.loads(demo)["keys"]["owner"] not in again.output


def test_kill_9_leaves_nobody_behind(folder: DataFolder) -> None:
    up = Up(folder)
    processes = up.descendants()

    psutil.Process(up.process.pid).kill()
    up.process.wait()

    assert len(processes) > 10
    eventually(lambda: not alive(processes), 5)
