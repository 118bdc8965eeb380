"""Publishing: on commit, in order, together, and at no risk."""

import threading

import pytest
from django.db import transaction

from events.audience import Audience
from events.entries import name_of
from events.outbox import KEPT, outbox
from events.publishing import batch, publish
from ground import valkey
from tests.cast import Cast
from tests.events.happenings import logged, run_event, run_ids
from tests.limits.conftest import eventually, own_valkey
from tests.limits.servers import OwnValkey

__all__ = ["own_valkey"]


def test_an_event_outside_a_transaction_is_told_at_once(cast: Cast) -> None:
    event = run_event()

    publish(event, Audience(cast.tenant.id, cast.ben.user.id, "workflows:write"))

    assert logged(cast.tenant.id) == [[str(cast.ben.user.id), "workflows:write", event]]


def test_an_event_is_told_when_its_transaction_is_committed(cast: Cast) -> None:
    with transaction.atomic():
        publish(run_event("r1"), Audience(cast.tenant.id))
        publish(run_event("r2"), Audience(cast.tenant.id))
        assert logged(cast.tenant.id) == []

    assert run_ids(cast) == ["r1", "r2"]


def test_an_event_of_an_undone_transaction_is_never_told(cast: Cast) -> None:
    with transaction.atomic():
        publish(run_event("r1"), Audience(cast.tenant.id))
        transaction.set_rollback(True)
    publish(run_event("r2"), Audience(cast.tenant.id))

    assert run_ids(cast) == ["r2"]


def test_a_batch_is_one_message(cast: Cast) -> None:
    with valkey.client().pubsub() as subscription:  # type: ignore[no-untyped-call]
        subscription.subscribe(name_of(cast.tenant.id))
        subscription.get_message(timeout=1)

        with batch():
            for number in range(5):
                publish(run_event(f"r{number}"), Audience(cast.tenant.id))

        first, second = subscription.get_message(timeout=1), subscription.get_message(timeout=0.1)
    assert first["data"].count(b"\n") == 9
    assert second is None
    assert run_ids(cast) == [f"r{number}" for number in range(5)]


def test_a_batch_that_takes_long_is_told_before_its_end(cast: Cast) -> None:
    with batch():
        publish(run_event(), Audience(cast.tenant.id))

        eventually(lambda: run_ids(cast) == ["r1"], 1.0)


def test_what_a_failing_batch_committed_is_told(cast: Cast) -> None:
    def fail() -> None:
        with batch():
            publish(run_event(), Audience(cast.tenant.id))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert run_ids(cast) == ["r1"]


def test_threads_that_publish_at_once_lose_nothing(cast: Cast) -> None:
    def tell(name: int) -> None:
        for number in range(50):
            publish(run_event(f"{name}-{number:02}"), Audience(cast.tenant.id))

    threads = [threading.Thread(target=tell, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    eventually(lambda: len(run_ids(cast)) == 200)
    for name in range(4):
        own = [run_id for run_id in run_ids(cast) if run_id.startswith(f"{name}-")]
        assert own == [f"{name}-{number:02}" for number in range(50)]


def test_what_happens_while_valkey_is_away_is_told_when_it_is_back(cast: Cast, own_valkey: OwnValkey) -> None:
    publish(run_event("r0"), Audience(cast.tenant.id))
    own_valkey.kill()

    for number in range(1, 4):
        publish(run_event(f"r{number}"), Audience(cast.tenant.id))
    own_valkey.start()

    eventually(lambda: run_ids(cast) == ["r1", "r2", "r3"])


def test_a_message_whose_answer_never_came_is_not_told_twice(cast: Cast, own_valkey: OwnValkey) -> None:
    publish(run_event("r0"), Audience(cast.tenant.id))
    own_valkey.freeze()
    publish(run_event("r1"), Audience(cast.tenant.id))  # Valkey reads this when it thaws, and again what is repeated
    publish(run_event("r2"), Audience(cast.tenant.id))
    own_valkey.thaw()

    eventually(lambda: run_ids(cast)[-1] == "r2")
    assert run_ids(cast) == ["r0", "r1", "r2"]


def test_listeners_are_told_to_ask_again_when_too_much_was_kept(cast: Cast, own_valkey: OwnValkey) -> None:
    own_valkey.kill()
    for _ in range(KEPT + 2):
        publish(run_event(), Audience(cast.tenant.id))
    publish(run_event("last"), Audience(cast.tenant.id))
    own_valkey.start()

    eventually(lambda: len(logged(cast.tenant.id)) >= 2)
    told = [event for _, _, event in logged(cast.tenant.id)]
    assert {"type": "reset"} in told
    assert told[-1]["runId"] == "last"


def test_the_log_is_short_and_expires(cast: Cast) -> None:
    with batch():
        for number in range(10_500):
            publish(run_event(str(number)), Audience(cast.tenant.id))
            if number % 2000 == 0:
                outbox().send()

    eventually(lambda: run_ids(cast)[-1] == "10499")
    client, name = valkey.client(), name_of(cast.tenant.id)
    assert 10_000 <= client.xlen(name) < 10_200
    assert 86_000 < client.ttl(name) <= 86_400
