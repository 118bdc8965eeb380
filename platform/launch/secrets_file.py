"""The secrets of an installation that sets none: made once, kept in the data folder, readable by the owner alone."""

import os
import secrets
from pathlib import Path
from typing import TypedDict

from launch.errors import CannotStart
from launch.private_files import create_json, make_private, read_json

NAME = "secrets.json"


class Secrets(TypedDict):
    """Django's secret key, and the pepper of version 1."""

    SECRET_KEY: str
    KEY_PEPPER: str


class Unreadable(CannotStart):
    """The file is there and cannot be used; making another one would void every key."""


def load_or_create(data_dir: Path) -> Secrets:
    """The secrets of this data folder; two processes that start at once agree on one file.

    With SECRET_KEY and KEY_PEPPERS in the environment none is needed, and the disk is not touched.
    """
    if os.environ.get("SECRET_KEY", "").strip() and os.environ.get("KEY_PEPPERS", "").strip():
        return Secrets(SECRET_KEY="", KEY_PEPPER="")
    path = data_dir / NAME
    try:
        if not path.exists():
            make_private(data_dir)
            create_json(path, Secrets(SECRET_KEY=secrets.token_urlsafe(48), KEY_PEPPER=secrets.token_urlsafe(48)))
    except OSError as error:
        raise Unreadable(
            f"DATA_DIR {data_dir} cannot be used ({error.strerror}); name a folder of your own, "
            "or set SECRET_KEY and KEY_PEPPERS."
        ) from None
    found = read_json(path)
    try:
        return Secrets(SECRET_KEY=str(found["SECRET_KEY"]), KEY_PEPPER=str(found["KEY_PEPPER"]))
    except (TypeError, KeyError):
        raise Unreadable(
            f"{path} cannot be read; give it back its content and mode 0600, or set SECRET_KEY and KEY_PEPPERS."
        ) from None
