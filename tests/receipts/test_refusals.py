"""Refused calls: written down one by one, until they are a flood; then counted."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from ground import valkey
from receipts.audit import REFUSED_ROWS_A_MINUTE, record_refusal
from receipts.models import AuditEntry
from receipts.refusals import ADD, MINUTES, Tally, tally
from receipts.tasks import write_down_refusals
from tests.limits.servers import OwnValkey
from tests.receipts.conftest import People

LONG_AGO = 29_000_000  # a minute of 2025


@pytest.fixture
def own_valkey(settings: Settings) -> Iterator[OwnValkey]:
    """A running server for the counts of this test."""
    server, session_url = OwnValkey(), settings.REDIS_URL
    server.start()
    tally.flush()
    settings.REDIS_URL = server.url
    yield server
    valkey.client().close()
    server.kill()
    settings.REDIS_URL = session_url


def let_the_minute_pass() -> None:
    """Send what is counted, then move it to a minute of the past."""
    tally.flush()
    client = valkey.client()
    for member in client.smembers(MINUTES):
        client.rename(f"{MINUTES}:{int(member)}", f"{MINUTES}:{LONG_AGO}")
        client.srem(MINUTES, member)
    client.sadd(MINUTES, LONG_AGO)


def entries(**about: Any) -> list[tuple[str, str, int, int]]:
    """What the audit says about it, oldest first."""
    found = AuditEntry.objects.filter(**about).order_by("at", "id")
    return list(found.values_list("operation", "outcome", "status", "attempts"))


def refuse_anonymous(address: str, times: int = 1) -> None:
    """So many calls with an unknown credential."""
    for _ in range(times):
        record_refusal(None, door="mcp", operation="authenticate", status=401, address=address)


def test_a_refused_call_of_a_known_credential_is_an_entry_at_once(people: People) -> None:
    record_refusal(people.ben, door="mcp", operation="call", status=404, tool="no_such_tool", request_id="r-9")

    entry = AuditEntry.objects.get(tenant_id=people.ben.tenant_id)
    assert (entry.operation, entry.outcome, entry.status, entry.tool) == ("call", "refused", 404, "no_such_tool")
    assert (entry.credential_id, entry.request_id) == (people.ben.credential.id, "r-9")


def test_what_a_credential_sends_beyond_thirty_a_minute_is_one_entry_with_a_count(
    people: People, own_valkey: OwnValkey
) -> None:
    for number in range(REFUSED_ROWS_A_MINUTE + 12):
        record_refusal(people.ben, door="mcp", operation="limit", status=429, tool=f"tool_{number}")
    let_the_minute_pass()

    write_down_refusals()

    found = entries(tenant_id=people.ben.tenant_id, credential_id=people.ben.credential.id)
    assert found == [("limit", "refused", 429, 12)] + [("limit", "refused", 429, 1)] * 30


def test_unknown_credentials_are_counted_by_address(people: People, own_valkey: OwnValkey) -> None:
    refuse_anonymous("203.0.113.5", times=3)
    refuse_anonymous("203.0.113.6")
    assert entries(object_id__in=["203.0.113.5", "203.0.113.6"], at__lt="2025-12-01T00:00Z") == []
    let_the_minute_pass()

    write_down_refusals()

    assert entries(object_type="address", object_id="203.0.113.5") == [("authenticate", "refused", 401, 3)]
    assert entries(object_type="address", object_id="203.0.113.6") == [("authenticate", "refused", 401, 1)]


def test_a_minute_that_is_written_down_twice_makes_no_second_entry(own_valkey: OwnValkey) -> None:
    refuse_anonymous("203.0.113.7", times=2)
    let_the_minute_pass()
    valkey.client().copy(f"{MINUTES}:{LONG_AGO}", "kept")
    write_down_refusals()

    valkey.client().rename("kept", f"{MINUTES}:{LONG_AGO}")  # as after a crash before the counts were deleted
    valkey.client().sadd(MINUTES, LONG_AGO)
    write_down_refusals()

    assert entries(object_id="203.0.113.7") == [("authenticate", "refused", 401, 2)]
    assert valkey.client().keys(f"{MINUTES}*") == []


def test_the_present_minute_is_left_alone(own_valkey: OwnValkey) -> None:
    refuse_anonymous("203.0.113.8")
    tally.flush()

    write_down_refusals()

    assert entries(object_id="203.0.113.8") == []
    assert valkey.client().scard(MINUTES) == 1


def test_counts_wait_while_valkey_is_away(own_valkey: OwnValkey) -> None:
    own_valkey.kill()
    refuse_anonymous("203.0.113.9", times=4)
    tally.flush()

    own_valkey.start()
    let_the_minute_pass()
    write_down_refusals()

    assert entries(object_id="203.0.113.9") == [("authenticate", "refused", 401, 4)]


def test_more_kinds_than_there_is_room_for_are_counted_together(own_valkey: OwnValkey) -> None:
    minute = valkey.client().eval(ADD, 1, "kinds", 2, 60, "other", "a", 1, "b", 2, "c", 3, "d", 4, "a", 5)

    assert valkey.client().hgetall(f"kinds:{minute}") == {b"a": b"6", b"b": b"2", b"other": b"7"}


def test_a_count_is_sent_by_itself(own_valkey: OwnValkey) -> None:
    own_tally = Tally()
    own_tally.add('{"door": "mcp"}')
    timer = own_tally._timer
    assert timer is not None

    timer.join(5)

    assert valkey.client().scard(MINUTES) == 1
