"""The embedded PostgreSQL: how its cluster is made and its program started.

It listens on loopback with a password; there is no Unix socket, so no path can be too long and none is left behind.
"""

import os
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path
from signal import SIGINT, SIGQUIT

from launch import server_user, wheels
from launch.child import Program
from launch.errors import CannotStart
from launch.ports import LOOPBACK, free_port
from launch.server_user import ServerUser
from launch.services import Endpoint

NAME = "atrium"  # of the role and of the database
LINK = "postgres"  # in the data folder: the cluster, or a link to it
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
CARELESS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def url(endpoint: Endpoint) -> str:
    """The address of the database."""
    return f"postgres://{NAME}:{endpoint['password']}@{LOOPBACK}:{endpoint['port']}/{NAME}?sslmode=disable"


def furnish(data_dir: Path, known: Endpoint | None, *, durable: bool) -> Endpoint:
    """Make the cluster when there is none; returns where it will listen: the port of last time when it is free.

    A cluster whose password is lost gets a new one: the file that held it may be gone, the data must not.
    """
    user, cluster = _account(data_dir), data_dir / LINK
    exists = (cluster / "PG_VERSION").exists()
    if known is None or not exists:
        known = Endpoint(port=0, password=secrets.token_hex(24))
        if exists:
            _run_alone(user, cluster.resolve(), "postgres", _password_statement("ALTER", known["password"]))
        else:
            _initialise(_place(data_dir, user), user, known["password"], durable=durable)
    return Endpoint(port=free_port(known["port"]), password=known["password"])


def program(data_dir: Path, endpoint: Endpoint, *, durable: bool) -> Program:
    """The server; SIGQUIT (stop at once) is what it gets when we are killed."""
    user = _account(data_dir)
    settings = [
        f"port={endpoint['port']}", f"listen_addresses={LOOPBACK}", "unix_socket_directories=", "max_connections=200",
        "shared_buffers=128MB", "jit=off", "wal_level=minimal", "max_wal_senders=0", "log_checkpoints=off",
    ]  # fmt: skip
    settings += () if durable else CARELESS
    return Program(
        "postgres",
        (
            str(_programs(user) / "postgres"),
            *("-D", str((data_dir / LINK).resolve())),
            *(part for setting in settings for part in ("-c", setting)),
        ),
        ENVIRONMENT,
        stop_signal=SIGINT,
        orphan_signal=SIGQUIT,
        user=user,
    )


def discard(data_dir: Path) -> None:
    """Remove the stopped cluster, wherever it lies."""
    link = data_dir / LINK
    if link.exists():
        shutil.rmtree(link.resolve())
    if link.is_symlink():
        link.unlink()


def _account(data_dir: Path) -> ServerUser | None:
    """Who runs the server: the owner of the cluster where there is one."""
    cluster = data_dir / LINK
    if os.geteuid() == 0 and cluster.exists() and (found := cluster.stat()).st_uid:
        return ServerUser(found.st_uid, found.st_gid)
    return server_user.server_user()


def _programs(user: ServerUser | None) -> Path:
    installed = wheels.folder_of(wheels.POSTGRES)
    if user is not None:
        libraries = installed.with_name(f"{wheels.POSTGRES}.libs")
        installed = server_user.reachable_copy(
            user, installed, also=libraries, version=wheels.version_of(wheels.POSTGRES)
        )
    return installed / "pginstall" / "bin"


def _place(data_dir: Path, user: ServerUser | None) -> Path:
    """An empty place for a new cluster.

    The data folder is closed to all but us. When PostgreSQL must run as somebody else, the cluster lies outside, and a
    link in the data folder owns it: once the link is gone, what it led to is nobody's and gives way.
    """
    link = data_dir / LINK
    if user is None:
        return link
    place = server_user.folder_for(user, data_dir)
    if place.exists():
        shutil.rmtree(place)
    link.unlink(missing_ok=True)
    link.symlink_to(place)
    return place


def _initialise(cluster: Path, user: ServerUser | None, password: str, *, durable: bool) -> None:
    """Make the cluster beside its place and move it there when it is whole."""
    fresh = Path(tempfile.mkdtemp(dir=cluster.parent, prefix=".new-"))
    try:
        if user is not None:
            os.chown(fresh, user.uid, user.gid)
        _run(
            user, "initdb", "-D", str(fresh), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
            "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions",
            *(() if durable else ("--no-sync",)),
        )  # fmt: skip
        (fresh / "pg_hba.conf").write_text(f"host all all {LOOPBACK}/32 scram-sha-256\n", "utf-8")
        _run_alone(user, fresh, "template1", "CREATE EXTENSION vector;")
        # The role owns its database and may make others (those of tests); it is no superuser.
        _run_alone(
            user, fresh, "postgres", _password_statement("CREATE", password), f"CREATE DATABASE {NAME} OWNER {NAME};"
        )
        fresh.replace(cluster)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _password_statement(verb: str, password: str) -> str:
    return f"{verb} ROLE {NAME} LOGIN CREATEDB PASSWORD '{password}';"


def _run_alone(user: ServerUser | None, cluster: Path, database: str, *statements: str) -> None:
    """Run statements as superuser without a server; nobody can log in as one."""
    _run(user, "postgres", "--single", "-D", str(cluster), database, statements="\n".join(statements) + "\n")


def _run(user: ServerUser | None, name: str, *arguments: str, statements: str = "") -> None:
    groups: list[int] | None = [] if user else None
    uid, gid = (user.uid, user.gid) if user else (None, None)
    done = subprocess.run(
        [str(_programs(user) / name), *arguments], input=statements, text=True, capture_output=True, cwd="/",
        env=ENVIRONMENT, timeout=120, check=False, umask=0o077, user=uid, group=gid, extra_groups=groups,
    )  # fmt: skip
    if done.returncode or "ERROR:" in done.stderr:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise CannotStart(f"PostgreSQL could not make its data folder ({reason}); mend that, or set DATABASE_URL.")
