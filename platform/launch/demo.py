"""The demo data: each app may bring `demo.py` with `make(context)`; they run in the order of INSTALLED_APPS, once."""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import transaction

from config import env
from identity.models import Tenant
from launch.addresses import Addresses, addresses
from launch.private_files import read_json, write_json

NAME = "demo.json"


@dataclass
class DemoContext:
    """What the apps build together.

    `facts` becomes demo.json. `made` hands objects from one app to the next (tenants, users, agents), by names that
    the apps agree on. An app may find what an earlier run left behind, when demo.json was lost: it takes that over
    (`get_or_create`), and gives out new keys and passwords.
    """

    addresses: Addresses
    facts: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)


Maker = Callable[[DemoContext], None]


def makers() -> list[Maker]:
    """The `make` of every app that has one."""
    found = []
    for app in apps.get_app_configs():
        if find_spec(f"{app.name}.demo") is not None:
            module = importlib.import_module(f"{app.name}.demo")
            found.append(getattr(module, "make", None))
    return [make for make in found if make is not None]


def make_demo(data_dir: Path, brought: Iterable[Maker]) -> None:
    """Make the demo data unless it is there; the addresses in demo.json follow the settings at each start."""
    path = data_dir / NAME
    facts = read_json(path)
    if not facts or not Tenant.objects.filter(slug=facts.get("tenant")).exists():
        context = DemoContext(addresses(), _with_addresses({}))
        with transaction.atomic():
            for make in brought:
                make(context)
        facts = context.facts
    write_json(path, _with_addresses(facts))


def _with_addresses(facts: dict[str, Any]) -> dict[str, Any]:
    now = addresses()
    return {**facts, "baseUrl": now.base, "mcpUrl": now.mcp, "admin": {**facts.get("admin", {}), "url": now.admin}}


def is_wanted() -> bool:
    """Only on the embedded database, or where DEMO asks for it."""
    return env.flag("DEMO", settings.EMBEDDED_DATABASE)
