"""The secrets of an installation that sets none: made once, kept in the data folder, readable by the owner alone."""

import json
import os
import secrets
from pathlib import Path

NAME = "secrets.json"


def load_or_create(data_dir: Path) -> dict[str, str]:
    """`{SECRET_KEY, KEY_PEPPER}` of this data folder; two processes that start at once agree on one file."""
    path = data_dir / NAME
    if not path.exists():
        _create(path)
    return dict(json.loads(path.read_text()))


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    made = {"SECRET_KEY": secrets.token_urlsafe(48), "KEY_PEPPER": secrets.token_urlsafe(48)}
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(made, indent=2))
    try:
        os.link(draft, path)  # fails when another process was first
    except FileExistsError:
        pass
    finally:
        draft.unlink()
