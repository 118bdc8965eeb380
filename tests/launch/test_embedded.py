"""The embedded services under a data folder."""

import os
import signal
import stat
import subprocess
import sys

import psutil
import psycopg
import pytest
import redis

from launch import services
from launch.embedded import running
from launch.programs import ROOT
from tests.launch.running import DataFolder, alive, eventually


def ask(url: str, statement: str) -> object:
    """The first value of the answer."""
    with psycopg.connect(url) as connection:
        row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def test_both_answer_and_the_role_is_no_superuser(folder: DataFolder) -> None:
    with running(folder.path, durable=False) as environment:
        assert ask(environment["DATABASE_URL"], "SELECT current_setting('server_version_num')::int >= 150000") is True
        assert ask(environment["DATABASE_URL"], "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
        with redis.Redis.from_url(environment["REDIS_URL"]) as client:
            assert client.ping() is True


def test_vectors_can_be_stored(folder: DataFolder) -> None:
    with running(folder.path, durable=False) as environment:
        assert ask(environment["DATABASE_URL"], "SELECT '[1,2]'::vector <-> '[1,4]'::vector") == 2.0


@pytest.mark.parametrize("user", ["atrium", "postgres"])
def test_without_the_password_nobody_enters(folder: DataFolder, user: str) -> None:
    with running(folder.path, durable=False) as environment:
        place = environment["DATABASE_URL"].split("@")[1]

        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(f"postgres://{user}:wrong@{place}")


def test_data_and_ports_are_kept_from_start_to_start(folder: DataFolder) -> None:
    with running(folder.path, durable=False) as first, psycopg.connect(first["DATABASE_URL"]) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")

    with running(folder.path, durable=False) as second:
        assert second == first
        assert ask(second["DATABASE_URL"], "SELECT number FROM kept") == 7


def test_a_lost_password_file_costs_no_data(folder: DataFolder) -> None:
    with (
        running(folder.path, durable=False) as first,
        psycopg.connect(first["DATABASE_URL"]) as connection,
    ):
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    (folder.path / services.NAME).unlink()

    with running(folder.path, durable=False) as second:
        assert second["DATABASE_URL"] != first["DATABASE_URL"]
        assert ask(second["DATABASE_URL"], "SELECT number FROM kept") == 7


def test_the_data_folder_is_closed_to_others(folder: DataFolder) -> None:
    with running(folder.path, durable=False):
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder.path / services.NAME).stat().st_mode) == 0o600
        assert stat.S_IMODE((folder.path / "postgres").stat().st_mode) == 0o700


def test_messages_survive_a_killed_valkey(folder: DataFolder) -> None:
    with running(folder.path) as environment, redis.Redis.from_url(environment["REDIS_URL"]) as client:
        client.rpush("queue", "message")
        os.kill(client.info()["process_id"], signal.SIGKILL)

    with running(folder.path) as environment, redis.Redis.from_url(environment["REDIS_URL"]) as client:
        assert client.lrange("queue", 0, -1) == [b"message"]


def test_nobody_survives_a_killed_parent(folder: DataFolder) -> None:
    script = (
        "import config, sys, pathlib; from launch.embedded import running\n"
        "with running(pathlib.Path(sys.argv[1]), durable=False): print('up', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(folder.path)],
        cwd=ROOT, env=folder.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as parent:  # fmt: skip
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"up\n"
        children = psutil.Process(parent.pid).children(recursive=True)

        parent.kill()

    assert len(children) > 5
    eventually(lambda: not alive(children), 5)
