"""What a listener is told: its own events, in order, from its cursor on."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import Any
from uuid import UUID

import pytest

from events.audience import Audience
from events.entries import name_of
from events.feed import Feed, feed
from events.hub import hub
from events.inbox import Inbox
from events.publishing import batch, publish
from ground import valkey
from ground.bridge import in_django
from ground.errors import InvalidInput
from tests.cast import Cast
from tests.events.happenings import run_event
from tests.limits.conftest import eventually, own_valkey
from tests.limits.servers import OwnValkey

__all__ = ["own_valkey"]


def tell(run_ids: Iterable[object], to: Audience) -> None:
    """Publish one event for each."""
    with batch():
        for run_id in run_ids:
            publish(run_event(str(run_id)), to)


async def told(events: Feed, count: int) -> list[str]:
    """The runs of the next entries; `reset` for one."""
    found: list[str] = []
    while len(found) < count:
        entry = await events.next(5)
        assert entry is not None, f"only {found}"
        event: Any = entry.event
        found.append(event.get("runId", event["type"]))
    return found


def names(first: int, end: int) -> list[str]:
    return [str(number) for number in range(first, end)]


async def test_a_feed_begins_now(cast: Cast) -> None:
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    await in_django(tell, ["before"], to)
    async with Feed(ana) as events:
        await in_django(tell, ["after"], to)

        assert await told(events, 1) == ["after"]
        assert await events.next(0.1) is None


async def test_the_audience_decides_who_is_told(cast: Cast) -> None:
    people = await in_django(lambda: {name: person.principal for name, person in cast.people.items()})
    own, other = cast.tenant.id, cast.other_tenant.id
    async with Feed(people["ana"]) as ana, Feed(people["ben"]) as ben, Feed(people["bea"]) as bea, Feed(
        people["zoe"]
    ) as zoe:  # fmt: skip
        await in_django(tell, ["ben's"], Audience(own, cast.ben.user.id, "workflows:write"))
        await in_django(tell, ["readers'"], Audience(own, permission="workflows:read"))
        await in_django(tell, ["nobody's"], Audience(own))
        await in_django(tell, ["foreign ben"], Audience(other, cast.ben.user.id, "workflows:read"))
        await in_django(tell, ["last"], Audience(own, permission="workflows:read"))

        assert await told(ana, 3) == ["ben's", "readers'", "last"]
        assert await told(ben, 3) == ["ben's", "readers'", "last"]
        assert await told(bea, 2) == ["readers'", "last"]
        assert await told(zoe, 1) == ["foreign ben"]


async def test_a_cursor_goes_on_where_it_stands(cast: Cast) -> None:
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    async with Feed(ana) as events:
        begun = events.cursor
        await in_django(tell, names(0, 5), to)
        assert await told(events, 3) == names(0, 3)
        cursor = events.cursor
    await in_django(tell, names(5, 1300), to)  # more than a page of the log

    async with Feed(ana, cursor) as again:
        await in_django(tell, names(1300, 1310), to)
        assert await told(again, 1307) == names(3, 1310)
    async with Feed(ana, begun) as again:
        assert await told(again, 1310) == names(0, 1310)


async def test_a_cursor_older_than_the_log_is_told_to_ask_again(cast: Cast) -> None:
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    async with Feed(ana) as events:
        cursor = events.cursor
    await in_django(tell, names(0, 10), to)
    valkey.client().xtrim(name_of(cast.tenant.id), maxlen=5, approximate=False)

    async with Feed(ana, cursor) as again:
        assert await told(again, 1) == ["reset"]
        await in_django(tell, ["next"], to)
        assert await told(again, 1) == ["next"]


async def test_a_cursor_of_a_log_that_expired_is_told_to_ask_again(cast: Cast) -> None:
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    await in_django(tell, ["lost"], to)
    async with Feed(ana) as events:
        cursor = events.cursor
    valkey.client().delete(name_of(cast.tenant.id))

    async with Feed(ana, cursor) as again:
        assert await told(again, 1) == ["reset"]


async def test_a_slow_listener_loses_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.feed.Inbox", lambda: Inbox(50))
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    async with Feed(ana) as events:
        for first in range(0, 600, 30):
            await in_django(tell, names(first, first + 30), to)

        assert await told(events, 600) == names(0, 600)
        await in_django(tell, names(600, 620), to)
        assert await told(events, 20) == names(600, 620)


async def until(fact: Callable[[], bool]) -> None:
    await in_django(eventually, fact)


@pytest.fixture
def hiccup(own_valkey: OwnValkey) -> Callable[[], Awaitable[None]]:
    """Cuts the connection of the hub, and returns when it has noticed."""

    async def cut() -> None:
        valkey.client().client_kill_filter(_type="pubsub")
        await until(lambda: not hub().is_up)

    return cut


async def test_what_happens_while_the_subscription_is_away_is_told_when_it_is_back(
    cast: Cast, hiccup: Callable[[], Awaitable[None]]
) -> None:
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    async with Feed(ana) as events:
        await in_django(tell, ["heard"], to)
        assert await told(events, 1) == ["heard"]
        await hiccup()
        await in_django(tell, names(0, 5), to)

        assert await told(events, 5) == names(0, 5)
        assert hub().is_up


async def test_a_valkey_that_says_nothing_for_a_while_loses_nothing(cast: Cast, own_valkey: OwnValkey) -> None:
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    async with Feed(ana) as events:
        own_valkey.freeze()
        await in_django(tell, names(0, 5), to)
        await until(lambda: not hub().is_up)
        await in_django(tell, names(5, 10), to)
        own_valkey.thaw()

        assert await told(events, 10) == names(0, 10)
        assert await events.next(0.3) is None


async def test_a_listener_is_told_to_ask_again_when_valkey_lost_its_memory(cast: Cast, own_valkey: OwnValkey) -> None:
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    async with Feed(ana) as events:
        own_valkey.kill()
        await until(lambda: not hub().is_up)
        await in_django(tell, ["kept"], to)
        await in_django(own_valkey.start)

        assert (await told(events, 1)) == ["reset"]
        await until(lambda: valkey.client().xlen(name_of(cast.tenant.id)) >= 1)
        await in_django(tell, ["next"], to)
        found = await told(events, 1)
        assert (found if found == ["next"] else [*found, *await told(events, 1)])[-1] == "next"


async def test_a_feed_keeps_what_it_is_asked_for(cast: Cast) -> None:
    ana, to = await in_django(lambda: cast.ana.principal), Audience(cast.tenant.id, permission="workflows:write")
    async with Feed(ana) as events:
        cursor = events.cursor
    await in_django(tell, names(0, 10), to)

    async with aclosing(feed(ana, cursor, lambda event: event["runId"] in ("3", "7"))) as found:  # type: ignore[type-var]
        told_events: list[Any] = [await anext(found) for _ in range(2)]
    assert [event["runId"] for _, event in told_events] == ["3", "7"]
    assert told_events[0][0] < told_events[1][0]


@pytest.mark.parametrize("cursor", ["", "x", "1", "1-", "-1-1", "1-1 ", f"{1 << 64}-0"])
async def test_a_cursor_that_is_none_is_refused(cast: Cast, cursor: str) -> None:
    ana = await in_django(lambda: cast.ana.principal)

    with pytest.raises(InvalidInput, match="Invalid cursor"):
        Feed(ana, cursor)


async def test_a_tenant_that_nobody_listens_to_is_left(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.hub.LINGER_SECONDS", 0.1)
    ana = await in_django(lambda: cast.ana.principal)

    def subscribed(tenant_id: UUID) -> bool:
        found: Any = valkey.client().pubsub_numsub(name_of(tenant_id))
        return bool(found[0][1])

    async with Feed(ana):
        assert subscribed(cast.tenant.id)
    await until(lambda: not subscribed(cast.tenant.id))

    async with Feed(ana) as events:
        await in_django(tell, ["heard"], Audience(cast.tenant.id, cast.ana.user.id))
        assert await told(events, 1) == ["heard"]
