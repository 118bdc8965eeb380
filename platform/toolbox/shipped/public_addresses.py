"""Which addresses a fetch may reach: public ones, and the networks that FETCH_NETWORKS names."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from ground.errors import Unprocessable, UpstreamFailed

Address = IPv4Address | IPv6Address

_NAT64 = ip_network("64:ff9b::/96")
# What Python's registry counts as global, in some versions or in all: relays of 6to4, protocol assignments, examples.
_NOBODYS = tuple(map(ip_network, ("192.88.99.0/24", "192.0.0.0/24", "3fff::/20")))


def checked_address(host: str, port: int) -> str:
    """An address of the host; refused when any of its addresses is not public.

    The caller connects to this very address: a second look-up could give another answer.
    """
    found = _resolved(host, port)
    if not all(is_allowed(ip_address(text.partition("%")[0])) for text in found):
        raise Unprocessable(f"{host} is not a public address; only public addresses can be fetched.")
    return found[0]


def is_allowed(address: Address) -> bool:
    """Whether the address is public, or in a network of FETCH_NETWORKS."""
    if inner := _embedded(address):
        return is_allowed(inner)
    if any(address in ip_network(network, strict=False) for network in settings.FETCH_NETWORKS):
        return True
    return address.is_global and not (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or any(address in network for network in _NOBODYS)
        or (isinstance(address, IPv6Address) and address.is_site_local)
    )


def check_networks() -> None:
    """Stop the start when FETCH_NETWORKS holds what is no network."""
    for network in settings.FETCH_NETWORKS:
        try:
            ip_network(network, strict=False)
        except ValueError:
            raise ImproperlyConfigured(
                f"FETCH_NETWORKS must hold networks such as 10.20.0.0/16, not {network!r}."
            ) from None


def _embedded(address: Address) -> IPv4Address | None:
    """The IPv4 address inside an IPv6 one that is only another spelling of it, or a way to it."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    compatible = IPv4Address(int(address)) if 1 < int(address) < 2**32 else None
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None) or compatible


def _resolved(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UpstreamFailed(f"There is no address for {host}; check its spelling.") from None
    return list(dict.fromkeys(str(row[4][0]) for row in found))
