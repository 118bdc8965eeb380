"""The crossing from the event loop to Django."""

import asyncio
import gc
import threading
import weakref
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction

from ground.bridge import in_django, on_background
from identity.models import Department
from tests.cast import Cast


class Fault(Exception):
    """What goes wrong in a hop."""


def backend() -> int:
    """The process of PostgreSQL behind this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def connections_of_this_database() -> int:
    """How many there are, this one included."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


async def test_a_hop_runs_elsewhere_and_brings_the_answer_back() -> None:
    name = await in_django(lambda: threading.current_thread().name)

    assert name.startswith("django")
    assert name != threading.current_thread().name


async def test_a_hop_takes_arguments_and_keywords() -> None:
    assert await in_django(sorted, [3, 1, 2], reverse=True) == [3, 2, 1]


async def test_a_hop_raises_what_the_function_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        await in_django(lambda: 1 // 0)


async def test_five_hundred_hops_share_a_few_connections() -> None:
    before = await in_django(connections_of_this_database)

    backends = set(await asyncio.gather(*(in_django(backend) for _ in range(500))))

    assert len(backends) <= settings.DATABASE_POOL
    assert await in_django(connections_of_this_database) <= before + len(backends)


async def test_a_failed_hop_gives_its_connection_back() -> None:
    def fail() -> None:
        backend()
        raise Fault

    results = await asyncio.gather(*(in_django(fail) for _ in range(100)), return_exceptions=True)

    assert {type(result) for result in results} == {Fault}
    assert isinstance(await in_django(backend), int)


async def test_an_abandoned_hop_ends_by_itself_and_gives_its_connection_back() -> None:
    began, may_end = threading.Event(), threading.Event()

    def wait() -> int:
        found = backend()
        began.set()
        may_end.wait(10)
        return found

    call = asyncio.ensure_future(in_django(wait))
    assert await asyncio.to_thread(began.wait, 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    may_end.set()

    assert len(set(await asyncio.gather(*(in_django(backend) for _ in range(100))))) <= settings.DATABASE_POOL


async def test_a_transaction_of_a_hop_ends_with_it(cast_made_elsewhere: Cast) -> None:
    def half() -> None:
        with transaction.atomic():
            Department.objects.filter(pk=cast_made_elsewhere.sales.pk).update(name="Half")
            raise Fault

    with pytest.raises(Fault):
        await in_django(half)

    assert await in_django(lambda: Department.objects.get(pk=cast_made_elsewhere.sales.pk).name) == "Sales"
    assert await in_django(lambda: connection.in_atomic_block) is False


async def test_connections_that_ended_in_the_pool_are_not_handed_out() -> None:
    backends = set(await asyncio.gather(*(in_django(backend) for _ in range(50))))

    def end_the_others() -> None:
        own = backend()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid, 1000) FROM unnest(%s) AS pid", [list(backends - {own})])

    await in_django(end_the_others)

    assert len(await asyncio.gather(*(in_django(backend) for _ in range(50)))) == 50


async def test_background_work_runs_on_one_loop_of_its_own() -> None:
    async def where() -> tuple[str, int]:
        return threading.current_thread().name, id(asyncio.get_running_loop())

    first = await asyncio.wrap_future(on_background(where()))
    second = await asyncio.wrap_future(on_background(where()))

    assert first == second
    assert first[0] == "background-loop"
    assert first[1] != id(asyncio.get_running_loop())


async def test_cancelling_the_future_cancels_the_work() -> None:
    began, ended = threading.Event(), threading.Event()

    async def wait() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    future: Any = on_background(wait())
    assert await asyncio.to_thread(began.wait, 10)
    future.cancel()

    assert await asyncio.to_thread(ended.wait, 10)


@pytest.fixture
def cast_made_elsewhere(cast: Cast) -> Cast:
    """The cast, made before the loop runs."""
    return cast


def test_work_in_the_background_ends_although_nobody_keeps_it() -> None:
    begun, ended = threading.Event(), threading.Event()
    awaited: weakref.WeakValueDictionary[str, asyncio.Future[None]] = weakref.WeakValueDictionary()

    async def work() -> None:
        waiting = awaited["it"] = asyncio.get_running_loop().create_future()
        begun.set()
        await waiting
        ended.set()

    on_background(work())
    assert begun.wait(5)
    gc.collect()

    if (waiting := awaited.get("it")) is not None:
        waiting.get_loop().call_soon_threadsafe(waiting.set_result, None)
    assert ended.wait(5)
