"""Headers that repeat an argument: there exactly when it is, and equal to it."""

from typing import Any

import pytest

from gateway.protocol.envelope import Message
from gateway.protocol.errors import ProtocolError
from gateway.protocol.headers import check_mirrors, read
from tests.gateway.clients import META

HEADER = "mcp-param-region"


def mismatch(shown: str | None, value: Any) -> bool:
    """Whether the header is refused beside this value."""
    raw = [(b"MCP-Protocol-Version", b"2026-07-28"), (b"Mcp-Method", b"tools/call"), (b"Mcp-Name", b"find")]
    if shown is not None:
        raw.append((HEADER.title().encode(), shown.encode()))
    message = Message(1, "tools/call", {"name": "find", "_meta": META})
    try:
        check_mirrors(read(raw), message, {HEADER: value})
    except ProtocolError as refused:
        return (refused.code, refused.status) == (-32020, 400)
    return False


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("eu", "eu"),
        ("=?base64?w7w=?=", "ü"),
        ("", ""),
        ("true", True),
        ("false", False),
        ("7", 7),
        ("7.0", 7),
        ("70e-1", 7),
        ("-7", -7),
        ("9007199254740993", 9007199254740993),
        (None, None),
    ],
)
def test_an_equal_value_is_taken(shown: str | None, value: Any) -> None:
    assert not mismatch(shown, value)


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("EU", "eu"),
        (None, "eu"),
        ("eu", None),
        ("True", True),
        ("1", True),
        ("true", 1),
        ("8", 7),
        ("", 7),
        ("nan", 7),
        ("inf", 7),
        ("1_0", 10),
        ("9007199254740992", 9007199254740993),
        ("1e999999999", 7),
        ("=?base64?w7w?=", "ü"),
        ("=?base64?/w==?=", "ÿ"),
    ],
)
def test_another_value_is_refused(shown: str | None, value: Any) -> None:
    assert mismatch(shown, value)
