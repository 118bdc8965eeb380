"""Who is calling: the peer, or what a proxy of ours says about it."""

import ipaddress
from functools import lru_cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def client_address(peer: str, forwarded_for: str | None) -> str:
    """The address to charge: the last hop, read from the right, that is no proxy of ours.

    `forwarded_for` is believed only as far as trusted proxies wrote it; what is left of that anybody can invent.
    """
    proxies = _networks(tuple(settings.TRUSTED_PROXIES))
    address = _parsed(peer)
    if address is None:
        return peer
    hops = forwarded_for.split(",") if forwarded_for and proxies else []
    while hops and any(address in network for network in proxies):
        hop = _parsed(hops.pop())
        if hop is None:
            break
        address = hop
    return str(address)


def check_trusted_proxies() -> None:
    """Raise ImproperlyConfigured when an entry of TRUSTED_PROXIES is no address or network."""
    _networks(tuple(settings.TRUSTED_PROXIES))


@lru_cache(maxsize=4)
def _networks(entries: tuple[str, ...]) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(entry) for entry in entries)
    except ValueError as problem:
        raise ImproperlyConfigured(f"TRUSTED_PROXIES must list addresses or networks: {problem}.") from None


def _parsed(text: str) -> Address | None:
    """An address with or without port and brackets; an IPv4 address in IPv6 clothes is the IPv4 address."""
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
