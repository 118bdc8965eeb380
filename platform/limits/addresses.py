"""Failed authentications by address: guessing keys ends in a refusal, while good credentials pass."""

import ipaddress
import math
from collections.abc import Callable

from django.conf import settings

from ground.errors import RateLimited
from limits import bucket
from limits.local import LocalBuckets
from limits.reach import reach
from limits.terms import Standing, Terms, Verdict

_failures = LocalBuckets()


def charge_failure(address: str) -> None:
    """An authentication from this address failed. Raises RateLimited when there were too many, else returns.

    Called only when a credential was refused, so that good ones cost nothing and are never held up by a neighbour
    behind the same address.
    """
    _judge(address, bucket.spend, _failures.spend)


def check_address(address: str) -> None:
    """Raises RateLimited when too many authentications from this address failed; charges nothing.

    For doors whose check is dear in itself, such as a password: ask before doing it.
    """
    _judge(address, bucket.look, _failures.look)


def _judge(address: str, shared: Callable[[str, Terms], Standing], alone: Callable[[str, Terms], Standing]) -> None:
    terms = Terms(settings.LIMIT_FAILED_AUTHENTICATIONS, settings.LIMIT_FAILED_AUTHENTICATIONS)
    name = f"address:{_counted(address)}"
    standing = reach.asked(shared, name, terms) or alone(name, terms)
    if standing.verdict != Verdict.ADMITTED:
        wait = max(1, math.ceil(standing.retry_after / 1_000_000))
        raise RateLimited(
            f"Too many failed authentications from this address; try again in {wait} seconds with a valid key.",
            wait,
            limit=terms.per_minute,
            reset=standing.reset / 1_000_000,
        )


def _counted(address: str) -> str:
    """The address that is counted: of IPv6 the network, since one host has all of it at hand."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if parsed.version == 6:
        return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
    return str(parsed)
