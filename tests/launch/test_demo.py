"""The demo data: made once, by the apps in their order."""

import json
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import Settings

from identity.models import Tenant
from launch import demo
from launch.demo import DemoContext, make_demo


def first(context: DemoContext) -> None:
    """Brought by one app."""
    context.made["tenant"] = Tenant.objects.create(slug=f"demo-{uuid4().hex[:10]}", name="Demo")


def second(context: DemoContext) -> None:
    """Brought by a later one."""
    context.facts["tenant"] = context.made["tenant"].slug
    context.facts["keys"] = {"owner": f"key of {context.made['tenant'].slug}"}


def written(folder: Path) -> dict[str, object]:
    """demo.json."""
    return dict(json.loads((folder / "demo.json").read_text()))


def test_apps_build_on_each_other(tmp_path: Path, settings: Settings) -> None:
    settings.PUBLIC_URL, settings.API_PREFIX = "https://atrium.example", "/v2"

    make_demo(tmp_path, [first, second])

    facts = written(tmp_path)
    assert facts == {
        "baseUrl": "https://atrium.example",
        "mcpUrl": "https://atrium.example/v2/mcp",
        "admin": {"url": "https://atrium.example/admin/"},
        "tenant": facts["tenant"],
        "keys": {"owner": f"key of {facts['tenant']}"},
    }
    assert Tenant.objects.filter(slug=facts["tenant"]).count() == 1


def test_a_second_run_keeps_everything_and_follows_the_address(tmp_path: Path, settings: Settings) -> None:
    make_demo(tmp_path, [first, second])
    before = written(tmp_path)
    settings.PUBLIC_URL = "https://moved.example"

    make_demo(tmp_path, [first, second])

    after = written(tmp_path)
    assert (after["tenant"], after["keys"]) == (before["tenant"], before["keys"])
    assert after["mcpUrl"] == "https://moved.example/api/mcp"


def test_an_emptied_database_gets_a_new_demo(tmp_path: Path) -> None:
    make_demo(tmp_path, [first, second])
    before = written(tmp_path)
    Tenant.objects.filter(slug=before["tenant"]).delete()

    make_demo(tmp_path, [first, second])

    assert written(tmp_path)["keys"] != before["keys"]


def test_half_a_demo_is_not_kept(tmp_path: Path) -> None:
    slugs: list[str] = []

    def fails(context: DemoContext) -> None:
        slugs.append(context.made["tenant"].slug)
        raise ValueError("no agents today")

    with pytest.raises(ValueError, match="no agents today"):
        make_demo(tmp_path, [first, fails])

    assert not Tenant.objects.filter(slug=slugs[0]).exists()
    assert list(tmp_path.iterdir()) == []


def test_makers_come_in_the_order_of_the_apps(settings: Settings) -> None:
    modules = [make.__module__ for make in demo.makers()]

    assert {"directory.demo", "credentials.demo", "agents.demo"} <= set(modules)
    assert modules == [f"{app}.demo" for app in settings.INSTALLED_APPS if f"{app}.demo" in modules]


@pytest.mark.parametrize(
    ("embedded", "asked", "wanted"),
    [(True, None, True), (False, None, False), (False, "1", True), (True, "0", False)],
)
def test_a_database_of_ones_own_is_left_alone_unless_demo_asks(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, embedded: bool, asked: str | None, wanted: bool
) -> None:
    settings.EMBEDDED_DATABASE = embedded
    monkeypatch.delenv("DEMO", raising=False)
    if asked is not None:
        monkeypatch.setenv("DEMO", asked)

    assert demo.is_wanted() is wanted
