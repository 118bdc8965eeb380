"""Who is calling, behind proxies."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from limits.client_address import check_trusted_proxies, client_address


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "expected"),
    [
        ("203.0.113.7", None, "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),  # not a proxy of ours: it may say what it likes
        ("10.0.0.2", None, "10.0.0.2"),
        ("10.0.0.2", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.2", "1.1.1.1, 198.51.100.1", "198.51.100.1"),  # 1.1.1.1 was invented by the caller
        ("10.0.0.2", "1.1.1.1, 198.51.100.1, 10.9.9.9", "198.51.100.1"),
        ("10.0.0.2", "10.0.0.9, 10.0.0.8", "10.0.0.9"),
        ("10.0.0.2", "198.51.100.1, nonsense", "10.0.0.2"),
        ("10.0.0.2", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.2", "[2001:db8::7]:443", "2001:db8::7"),
        ("10.0.0.2", "2001:DB8:0::7", "2001:db8::7"),
        ("::ffff:10.0.0.2", "198.51.100.1", "198.51.100.1"),
        ("fd00::1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.2", "", "10.0.0.2"),
        ("10.0.0.2", " , ", "10.0.0.2"),
        ("/run/web.sock", "198.51.100.1", "/run/web.sock"),
    ],
)
def test_the_address_is_the_rightmost_hop_that_is_no_trusted_proxy(
    settings: Settings, peer: str, forwarded_for: str | None, expected: str
) -> None:
    settings.TRUSTED_PROXIES = ["10.0.0.0/8", "fd00::1"]

    assert client_address(peer, forwarded_for) == expected


def test_without_trusted_proxies_the_header_says_nothing(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = []

    assert client_address("127.0.0.1", "198.51.100.1") == "127.0.0.1"


def test_a_trusted_proxy_that_is_no_network_stops_the_start(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = ["10.0.0.0/8", "proxy.local"]

    with pytest.raises(ImproperlyConfigured, match=r"TRUSTED_PROXIES must list addresses or networks: 'proxy\.local'"):
        check_trusted_proxies()
