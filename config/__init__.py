"""The project: puts the two source roots on the path, then offers the Celery app."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Appended, never inserted: `platform` and `mcp` are also names of the standard library and of the SDK.
for source_root in ("platform", "mcp"):
    if (path := str(ROOT / source_root)) not in sys.path:
        sys.path.append(path)

from config.celery import app as celery_app  # noqa: E402  (needs the source roots)

__all__ = ["ROOT", "celery_app"]
