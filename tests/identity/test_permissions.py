"""The grammar of rights."""

import pytest

from identity.permissions import (
    DEFAULT_ROLE_PERMISSIONS,
    RESOURCES,
    covers,
    every_permission,
    exceeds,
    expanded,
    holds,
    is_pattern,
)


@pytest.mark.parametrize(
    ("held", "asked", "expected"),
    [
        ("*", "agents:read", True),
        ("*:*", "agents:read", True),
        ("agents:*", "agents:read", True),
        ("agents:*", "agents:admin", True),
        ("agents:*", "stored-agents:read", False),
        ("*:read", "agents:read", True),
        ("*:read", "agents:write", False),
        ("agents:read", "agents:read", True),
        ("agents:read", "agents:write", False),
        ("agents:write", "agents:read", False),
        ("agents:read:x", "agents:read", False),
        ("agents", "agents:read", False),
        ("agents:admin", "agents:read", False),
        ("agents:", "agents:read", False),
        (":read", "agents:read", False),
        ("", "agents:read", False),
        ("agent*:read", "agents:read", False),
        ("AGENTS:read", "agents:read", False),
        (" agents:read", "agents:read", False),
    ],
)
def test_a_held_pattern_carries_a_permission_or_not(held: str, asked: str, expected: bool) -> None:
    assert covers(held, asked) is expected


def rights(role: str, action: str) -> set[str]:
    return {name for name in RESOURCES if holds(DEFAULT_ROLE_PERMISSIONS[role], f"{name}:{action}")}


EVERY = set(RESOURCES)


@pytest.mark.parametrize(
    ("role", "read", "execute", "write", "publish", "admin"),
    [
        ("owner", EVERY, EVERY, EVERY, EVERY, EVERY),
        ("admin", EVERY, EVERY, EVERY, EVERY, {"observability"}),
        ("operator", EVERY, EVERY, {"memory", "data", "missions", "stored-agents"}, set(), {"observability"}),
        ("member", EVERY, EVERY, {"memory", "data", "stored-agents"}, set(), set()),
        ("viewer", EVERY, {"mcp"}, set(), set(), set()),
    ],
)
def test_what_the_default_roles_may(
    role: str, read: set[str], execute: set[str], write: set[str], publish: set[str], admin: set[str]
) -> None:
    found = [rights(role, action) for action in ("read", "execute", "write", "publish", "admin")]

    assert found == [read, execute, write, publish, admin]


@pytest.mark.parametrize(
    ("scopes", "carried", "not_carried"),
    [
        ({"mcp:read"}, {"agents:read", "mcp:read", "observability:admin"}, {"agents:write", "agents:execute"}),
        ({"mcp:execute"}, {"agents:execute", "mcp:execute"}, {"agents:read", "mcp:read"}),
        ({"mcp:write"}, {"agents:write", "agents:publish", "mcp:write"}, {"agents:read", "observability:admin"}),
        ({"agents:read"}, {"agents:read"}, {"mcp:read", "memory:read"}),
        (set(), set(), {"agents:read", "mcp:read"}),
    ],
)
def test_what_a_scope_carries(scopes: set[str], carried: set[str], not_carried: set[str]) -> None:
    patterns = expanded(frozenset(scopes))

    assert {name for name in carried | not_carried if holds(patterns, name)} == carried


@pytest.mark.parametrize(
    ("asked", "own", "more"),
    [
        (("agents:read",), ("*:read",), []),
        (("*",), ("*",), []),
        (("agents:*",), ("agents:read", "agents:write"), ["agents:admin", "agents:execute", "agents:publish"]),
        (("*:publish",), ("*:read",), [f"{name}:publish" for name in sorted(RESOURCES)]),
        (("nothing:known",), ("*:read",), ["nothing:known"]),
    ],
)
def test_nobody_hands_on_more_than_they_hold(asked: tuple[str, ...], own: tuple[str, ...], more: list[str]) -> None:
    assert exceeds(asked, own) == more


@pytest.mark.parametrize("role", DEFAULT_ROLE_PERMISSIONS)
def test_the_default_roles_are_written_in_the_grammar(role: str) -> None:
    assert [pattern for pattern in DEFAULT_ROLE_PERMISSIONS[role] if not is_pattern(pattern)] == []


@pytest.mark.parametrize(
    "text", ["", "agents", "agents:fly", "planes:read", "agents:read:x", "agents :read", ":", "*:"]
)
def test_what_is_no_pattern(text: str) -> None:
    assert not is_pattern(text)


def test_every_permission_is_one_pair() -> None:
    assert len(every_permission()) == len(set(every_permission())) == len(RESOURCES) * 5
    assert "agents:read" in every_permission()
