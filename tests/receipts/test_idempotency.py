"""One key, one effect, one answer."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from ground.errors import Conflict, InvalidInput, Unprocessable
from identity.principal import API_KEY, Credential
from receipts.idempotency import Begun, StoredReply, begin
from receipts.models import StoredAnswer
from tests.receipts.conftest import People

ARGUMENTS = {"path": {"table_id": "orders"}, "body": {"row": {"total": 3, "name": "Müller"}}}


def begun(answer: Begun | StoredReply) -> Begun:
    """The answer, which must be a beginning."""
    assert isinstance(answer, Begun)
    return answer


def age(people: People, **spans: timedelta) -> None:
    """Move moments of the tenant's answers into the past."""
    past = {field: timezone.now() - span for field, span in spans.items()}
    StoredAnswer.objects.filter(tenant_id=people.ana.tenant_id).update(**past)


def test_the_second_call_gets_the_first_answer(people: People) -> None:
    body = {"id": UUID(int=7), "zebra": 1, "apple": [1.5, None, "ü"]}
    begun(begin(people.ana, "k1", "post Rows", ARGUMENTS)).finish(201, body)

    again = begin(people.ana, "k1", "post Rows", ARGUMENTS)

    assert again == StoredReply(201, {"id": str(UUID(int=7)), "zebra": 1, "apple": [1.5, None, "ü"]})
    assert isinstance(again, StoredReply)
    assert list(again.body) == ["id", "zebra", "apple"]


def test_the_order_of_the_arguments_does_not_matter(people: People) -> None:
    begun(begin(people.ana, "k1", "post Rows", {"a": 1, "b": {"c": 2, "d": 3}})).finish(200, None)

    assert begin(people.ana, "k1", "post Rows", {"b": {"d": 3, "c": 2}, "a": 1}) == StoredReply(200, None)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("post Rows", ARGUMENTS | {"body": {"row": {"total": 4}}}), ("patch Rows", ARGUMENTS), ("post Rows", {})],
)
def test_another_call_under_the_key_is_refused(people: People, operation: str, arguments: dict[str, Any]) -> None:
    begun(begin(people.ana, "k1", "post Rows", ARGUMENTS)).finish(200, {"n": 1})

    with pytest.raises(Unprocessable) as refused:
        begin(people.ana, "k1", operation, arguments)

    assert refused.value.sentence == (
        "This idempotency key belongs to a call with other arguments; use a new key for a new call."
    )
    assert begin(people.ana, "k1", "post Rows", ARGUMENTS) == StoredReply(200, {"n": 1})


def test_a_second_call_in_flight_is_refused(people: People) -> None:
    first = begun(begin(people.ana, "k1", "post Rows", ARGUMENTS))

    with pytest.raises(Conflict) as refused:
        begin(people.ana, "k1", "post Rows", ARGUMENTS)
    with pytest.raises(Unprocessable):
        begin(people.ana, "k1", "post Rows", {})

    assert refused.value.sentence == (
        "A call with this idempotency key is still running; send the same call again when it has ended, "
        "to get its answer."
    )
    first.finish(200, 1)
    assert begin(people.ana, "k1", "post Rows", ARGUMENTS) == StoredReply(200, 1)


def test_equal_keys_of_other_callers_are_independent(people: People) -> None:
    other_key = replace(people.ana, credential=Credential(API_KEY, "another", "second key"))
    same_key_of_ben = replace(people.ben, credential=people.ana.credential)
    begun(begin(people.ana, "k1", "post Rows", ARGUMENTS)).finish(200, "first")

    for caller in (people.ben, people.zoe, other_key, same_key_of_ben):
        assert isinstance(begin(caller, "k1", "post Rows", ARGUMENTS), Begun)
    assert isinstance(begin(people.ana, "k2", "post Rows", ARGUMENTS), Begun)


def test_a_key_whose_call_failed_on_our_side_may_be_used_again(people: People) -> None:
    begun(begin(people.ana, "k1", "post Rows", ARGUMENTS)).abandon()

    begun(begin(people.ana, "k1", "patch Rows", {})).finish(200, "second")

    assert begin(people.ana, "k1", "patch Rows", {}) == StoredReply(200, "second")


def test_the_call_of_a_dead_process_is_taken_over_by_the_same_call(people: People) -> None:
    dead = begun(begin(people.ana, "k1", "post Rows", ARGUMENTS))
    age(people, lease_until=timedelta(seconds=1))

    with pytest.raises(Unprocessable):
        begin(people.ana, "k1", "post Rows", {})
    heir = begun(begin(people.ana, "k1", "post Rows", ARGUMENTS))

    dead.finish(200, "late")
    dead.abandon()
    with pytest.raises(Conflict):
        begin(people.ana, "k1", "post Rows", ARGUMENTS)
    heir.finish(200, "heir")
    assert begin(people.ana, "k1", "post Rows", ARGUMENTS) == StoredReply(200, "heir")


def test_a_finished_call_is_not_taken_over_when_its_lease_ends(people: People) -> None:
    begun(begin(people.ana, "k1", "post Rows", ARGUMENTS)).finish(200, "kept")
    age(people, lease_until=timedelta(hours=23))

    assert begin(people.ana, "k1", "post Rows", ARGUMENTS) == StoredReply(200, "kept")


def test_an_answer_is_kept_for_24_hours(people: People) -> None:
    before = timezone.now()
    begun(begin(people.ana, "k1", "post Rows", ARGUMENTS)).finish(200, "kept")
    kept = StoredAnswer.objects.get(tenant_id=people.ana.tenant_id)
    assert timedelta(0) <= kept.expires_at - before - timedelta(hours=24) < timedelta(seconds=5)

    age(people, expires_at=timedelta(seconds=1))

    assert isinstance(begin(people.ana, "k1", "patch Rows", {}), Begun)


def test_of_many_callers_at_once_exactly_one_begins(people: People) -> None:
    barrier = threading.Barrier(12)

    def call(_: int) -> str:
        barrier.wait()
        try:
            return type(begin(people.ana, "k1", "post Rows", ARGUMENTS)).__name__
        except Conflict:
            return "Conflict"
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        outcomes = sorted(pool.map(call, range(12)))

    assert outcomes == ["Begun"] + ["Conflict"] * 11


@pytest.mark.parametrize("key", ["", "k" * 256, "a\x00b", "line\nbreak", "\ud800"])
def test_what_is_no_key_is_refused(people: People, key: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        begin(people.ana, key, "post Rows", ARGUMENTS)

    assert refused.value.issues == [{"field": "idempotencyKey", "message": "must be 1 to 255 printable characters"}]
    assert not StoredAnswer.objects.filter(tenant_id=people.ana.tenant_id).exists()


def test_a_key_of_255_characters_is_a_key(people: People) -> None:
    begun(begin(people.ana, "ü" * 255, "post Rows", ARGUMENTS)).finish(200, 1)

    assert begin(people.ana, "ü" * 255, "post Rows", ARGUMENTS) == StoredReply(200, 1)
