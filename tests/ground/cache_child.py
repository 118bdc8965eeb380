"""A process with a cache: for every line it reads it tells a department's name as it knows it, and whether it hears."""

import json
import os
import sys

import django

import config  # noqa: F401  (puts the source roots on the path)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import connection  # noqa: E402

from ground.invalidation import ProcessCache, listener  # noqa: E402
from identity.models import Department  # noqa: E402

names: ProcessCache[str, str] = ProcessCache("rights")


def read(department_id: str) -> str:
    """The name that the database has now."""
    try:
        return Department.objects.get(pk=department_id).name
    finally:
        connection.close()


for line in sys.stdin:
    wanted = line.strip()
    print(json.dumps([names.load(wanted, lambda: read(wanted), lambda _: None), listener.is_up]), flush=True)  # noqa: B023
connection.close_pool()
