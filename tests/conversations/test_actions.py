"""Opening threads and keeping turns."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from conversations.actions import Turn, find_thread, open_thread, recent_messages, save_turn
from conversations.format2 import content_of, text_part
from conversations.models import Message, Thread
from ground.errors import InvalidInput, NotFound
from identity.principal import Principal
from tests.cast import Cast


def _turn(role: str, text: str) -> Turn:
    return Turn(role, content_of([text_part(text, timezone.now())]))


def test_a_thread_without_an_id_is_known_by_its_own(cast: Cast) -> None:
    thread = open_thread(cast.ben.principal, agent_id="helper")

    assert (thread.thread_id, thread.resource_id) == (str(thread.id), str(cast.ben.user.id))


def test_opening_again_gives_the_same_thread(cast: Cast) -> None:
    first = open_thread(cast.ben.principal, thread_id="t", title="First")
    second = open_thread(cast.ben.principal, thread_id="t", title="Second")

    assert (second.id, second.title) == (first.id, "First")


def test_opening_one_id_at_the_same_moment_makes_one_thread(cast: Cast) -> None:
    principal = cast.ben.principal

    def opened() -> object:
        try:
            return open_thread(principal, thread_id="t").id
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        ids = {future.result() for future in [threads.submit(opened) for _ in range(16)]}

    assert len(ids) == 1


def test_turns_come_back_in_their_order_and_at_most_as_many_as_asked(cast: Cast) -> None:
    thread = open_thread(cast.ben.principal)
    for number in range(6):
        save_turn(thread, [_turn("user", f"q{number}"), _turn("assistant", f"a{number}")])

    assert [message.content["content"] for message in recent_messages(thread, 3)] == ["a4", "q5", "a5"]


def test_a_turn_is_kept_whole_or_not_at_all(cast: Cast) -> None:
    thread = open_thread(cast.ben.principal)

    with pytest.raises(DatabaseError):
        save_turn(thread, [_turn("user", "one"), Turn("assistant", {"format": 2, "content": "\x00"})])

    assert not Message.objects.filter(thread=thread).exists()


def test_keeping_a_turn_moves_the_thread_up(cast: Cast) -> None:
    thread = open_thread(cast.ben.principal)
    before = thread.updated_at

    save_turn(thread, [_turn("user", "hi")])

    assert Thread.objects.get(pk=thread.pk).updated_at > before


def test_finding_makes_nothing(cast: Cast) -> None:
    with pytest.raises(NotFound):
        find_thread(cast.ben.principal, thread_id="t")
    assert not Thread.objects.filter(tenant=cast.tenant).exists()


@pytest.mark.parametrize("thread_id", ["x" * 201, "a\x00b", "a\ud800b"])
def test_ids_that_no_column_takes_are_refused(cast: Cast, thread_id: str) -> None:
    with pytest.raises(InvalidInput):
        open_thread(cast.ben.principal, thread_id=thread_id)


def _seen_by(principal: Principal) -> list[str]:
    return sorted(Thread.objects.visible_to(principal).values_list("thread_id", flat=True))


def test_members_see_their_own_threads_and_the_owner_all_of_the_tenant(cast: Cast) -> None:
    for name in ("ben", "bea", "zoe"):
        save_turn(open_thread(getattr(cast, name).principal, thread_id=name), [_turn("user", name)])

    seen = {name: _seen_by(getattr(cast, name).principal) for name in ("ana", "adam", "ben", "bea", "vic", "zoe")}

    assert seen == {
        "ana": ["bea", "ben"], "adam": [], "ben": ["ben"], "bea": ["bea"], "vic": [], "zoe": ["zoe"]
    }  # fmt: skip
    assert Message.objects.visible_to(cast.ben.principal).count() == 1
    assert Message.objects.visible_to(cast.ana.principal).count() == 2


def test_where_threads_do_not_belong_to_users_the_tenant_sees_them(cast: Cast) -> None:
    cast.tenant.maps_users = False
    cast.tenant.save()
    open_thread(cast.ben.principal, thread_id="t", resource_id=f"customer-{uuid4().hex}")

    assert _seen_by(cast.bea.principal) == ["t"]
    assert _seen_by(cast.zoe.principal) == []
