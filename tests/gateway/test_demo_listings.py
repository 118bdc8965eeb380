"""What each of the demo's keys is shown: the golden listings, with the ids that each may use."""

import json
from pathlib import Path
from typing import Any

import pytest

from launch.demo import make_demo, makers
from tests.gateway.clients import Door

GOLDEN = Path(__file__).parent / "demo_listings.json"
KEYS = ("owner", "admin", "operator", "member", "viewer", "router", "readonly")


@pytest.fixture(scope="session")
def demo(real_database: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The facts of demo.json."""
    folder = tmp_path_factory.mktemp("demo")
    make_demo(folder, makers())
    facts: dict[str, Any] = json.loads((folder / "demo.json").read_text())
    return facts


def listing(door: Door, key: str) -> dict[str, list[str] | None]:
    """Tool → the agents it may be used for, None where any id may be given or none is asked for."""
    return {tool["name"]: tool["inputSchema"]["properties"].get("agentId", {}).get("enum") for tool in door.listed(key)}


@pytest.mark.parametrize("role", KEYS)
def test_a_demo_key_is_shown_its_golden_listing(demo: dict[str, Any], door: Door, role: str) -> None:
    golden = json.loads(GOLDEN.read_text())

    assert listing(door, demo["keys"][role]) == golden[role]


def test_there_is_a_golden_listing_for_every_demo_key(demo: dict[str, Any]) -> None:
    assert set(demo["keys"]) == set(json.loads(GOLDEN.read_text())) == set(KEYS)


def test_the_private_agent_is_its_author_s_and_the_owner_s(demo: dict[str, Any]) -> None:
    golden, private = json.loads(GOLDEN.read_text()), demo["agents"]["private"]

    assert [role for role in KEYS if private in (golden[role].get("agent_get") or [])] == [
        "owner", "member", "readonly",
    ]  # fmt: skip


def test_the_other_tenant_s_agents_are_nowhere(demo: dict[str, Any]) -> None:
    assert demo["other"]["agents"]["public"] not in GOLDEN.read_text()
