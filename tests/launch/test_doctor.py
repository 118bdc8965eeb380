"""`manage.py doctor`: one line for each part."""

from tests.launch.running import DataFolder, Up, eventually


def test_beside_a_serving_platform_all_is_well(served: Up) -> None:
    eventually(lambda: served.folder.get("/ready") == 200, 40)

    found = served.folder.manage("doctor")

    assert found.returncode == 0, found.stdout
    lines = [line.split(" — ")[0] for line in found.stdout.splitlines()]
    assert lines[:7] == [
        "ok  python", "ok  data folder", "ok  database", "ok  migrations", "ok  broker", "ok  worker", "ok  web",
    ]  # fmt: skip


def test_where_nothing_runs_each_line_says_how_to_mend_it(folder: DataFolder) -> None:
    found = folder.manage("doctor")

    assert found.returncode == 1
    assert found.stderr == ""
    assert "BAD database — none is running; start `make run`, or set DATABASE_URL" in found.stdout.splitlines()
    assert "BAD broker — none is running; start `make run`, or set REDIS_URL" in found.stdout.splitlines()
    assert "BAD worker — cannot be asked without the broker; mend that first" in found.stdout.splitlines()


def test_a_server_that_does_not_answer_is_named(folder: DataFolder) -> None:
    found = folder.manage(
        "doctor", DATABASE_URL="postgres://a:secret@127.0.0.1:1/a", REDIS_URL="redis://:secret@127.0.0.1:1/0"
    )

    assert (
        "BAD database — does not answer; start the server of DATABASE_URL, or unset it and start `make run`"
        in found.stdout.splitlines()
    )
    assert (
        "BAD broker — does not answer; start the server of REDIS_URL, or unset it and start `make run`"
        in found.stdout.splitlines()
    )
    assert "secret" not in found.stdout + found.stderr
