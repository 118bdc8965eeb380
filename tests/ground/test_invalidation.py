"""Caches in the process, and the word that clears them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from pytest_django import Settings

from ground import invalidation, valkey
from ground.invalidation import DOUBTFUL_SECONDS, ProcessCache, announce, listener
from identity.invalidation import rights_changed
from identity.models import Department
from tests.cast import Cast
from tests.gateway.servers import database_url
from tests.limits.servers import OwnValkey

HERE, THERE = uuid4(), uuid4()


class Source:
    """Counts how often it was read."""

    def __init__(self) -> None:
        self.reads = 0

    def read(self) -> int:
        """The number of this read."""
        self.reads += 1
        return self.reads


def load(cache: ProcessCache[str, int], source: Source, key: str = "k", tenant: UUID | None = HERE) -> int:
    return cache.load(key, source.read, lambda _: tenant)


@pytest.fixture(autouse=True)
def hearing() -> None:
    """This process listens: what begins to listen drops everything first."""
    listener.listen()
    eventually(lambda: listener.is_up)


@pytest.fixture
def source() -> Source:
    """A fresh source."""
    return Source()


def test_a_value_is_read_once(source: Source) -> None:
    cache: ProcessCache[str, int] = ProcessCache("test-once")

    assert [load(cache, source), load(cache, source), cache.get("k"), cache.get("other")] == [1, 1, 1, None]


def test_an_announcement_drops_the_values_of_its_topic_alone(source: Source) -> None:
    cache: ProcessCache[str, int] = ProcessCache("test-topic", also=("test-also",))
    load(cache, source)

    announce("test-other")
    assert cache.get("k") == 1
    announce("test-also")
    assert cache.get("k") is None
    load(cache, source)
    announce("test-topic")
    assert cache.get("k") is None


def test_an_announcement_of_a_tenant_drops_its_values_and_those_of_nobody(source: Source) -> None:
    cache: ProcessCache[str, int] = ProcessCache("test-tenant")
    load(cache, source, "here", HERE)
    load(cache, source, "there", THERE)
    load(cache, source, "nobody", None)

    announce("test-tenant", HERE)

    assert [cache.get(key) for key in ("here", "there", "nobody")] == [None, 2, None]


def test_a_value_read_before_an_announcement_is_not_kept_after_it(source: Source) -> None:
    cache: ProcessCache[str, int] = ProcessCache("test-late")

    def slow() -> int:
        found = source.read()
        announce("test-late")
        return found

    assert cache.load("k", slow, lambda _: HERE) == 1
    assert cache.get("k") is None


def test_what_a_transaction_reads_is_not_kept(source: Source) -> None:
    cache: ProcessCache[str, int] = ProcessCache("test-transaction")

    with transaction.atomic():
        assert load(cache, source) == 1

    assert cache.get("k") is None


def test_others_hear_of_a_change_when_it_is_committed_and_not_when_it_is_undone(source: Source) -> None:
    cache: ProcessCache[str, int] = ProcessCache("test-commit")
    with transaction.atomic():
        announce("test-commit")
        cache._kept["k"] = (time.monotonic(), None, 7)  # as another thread would, between change and commit
    assert cache.get("k") is None

    with transaction.atomic():
        announce("test-commit")
        cache._kept["k"] = (time.monotonic(), None, 7)
        transaction.set_rollback(True)
    assert cache.get("k") == 7


def test_a_full_cache_begins_anew(source: Source) -> None:
    cache: ProcessCache[str, int] = ProcessCache("test-size", size=3)
    for key in "abcd":
        load(cache, source, key)

    assert [cache.get(key) for key in "abcd"] == [None, None, None, 4]


@pytest.mark.parametrize(("is_up", "fresh", "stale"), [(True, 4.9, 5.1), (False, 0.9, 1.1)])
def test_a_value_lives_five_seconds_or_one_while_nobody_tells(
    source: Source, monkeypatch: pytest.MonkeyPatch, is_up: bool, fresh: float, stale: float
) -> None:
    cache: ProcessCache[str, int] = ProcessCache("test-age")
    load(cache, source)
    began = time.monotonic()
    monkeypatch.setattr(listener, "is_up", is_up)

    ages = []
    for age in (fresh, stale):
        monkeypatch.setattr(invalidation, "time", SimpleNamespace(monotonic=lambda at=began + age: at))
        ages.append(cache.get("k"))

    monkeypatch.undo()
    assert ages == [1, None]


def eventually(fact: Callable[[], bool], seconds: float = 5.0) -> float:
    """Ask again until the fact holds; how long it took."""
    began = time.monotonic()
    while not fact():
        assert time.monotonic() - began < seconds, f"not within {seconds} seconds"
        time.sleep(0.01)
    return time.monotonic() - began


class Child:
    """Another process with a cache, listening at this Valkey."""

    def __init__(self, redis_url: str) -> None:
        facts = {"DATABASE_URL": database_url(), "REDIS_URL": redis_url}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.ground.cache_child"],
            env={**os.environ, **facts},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, department: Department) -> tuple[str, bool]:
        """The name that it knows, and whether it hears."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{department.pk}\n")
        self.process.stdin.flush()
        name, hears = json.loads(self.process.stdout.readline())
        return name, hears


@pytest.fixture
def own_valkey(settings: Settings) -> Iterator[OwnValkey]:
    """A Valkey that may be killed, where this process announces too."""
    server, session_url = OwnValkey(), settings.REDIS_URL
    server.start()
    settings.REDIS_URL = server.url
    yield server
    valkey.client().close()
    server.kill()
    settings.REDIS_URL = session_url


@pytest.fixture
def child(own_valkey: OwnValkey) -> Iterator[Child]:
    """A running process."""
    other = Child(own_valkey.url)
    yield other
    other.process.communicate(timeout=10)
    assert other.process.returncode == 0


def rename(department: Department, name: str) -> None:
    Department.objects.filter(pk=department.pk).update(name=name)
    rights_changed(department.tenant_id)


def test_another_process_hears_of_a_change_within_a_second(cast: Cast, child: Child) -> None:
    eventually(lambda: child.ask(cast.sales) == ("Sales", True))
    took = []
    for number in range(10):
        rename(cast.sales, f"Sales {number}")
        took.append(eventually(lambda n=number: child.ask(cast.sales)[0] == f"Sales {n}", 1.0))  # type: ignore[misc]

    assert max(took) < 0.5
    Department.objects.filter(pk=cast.sales.pk).update(name="Silent")
    assert child.ask(cast.sales)[0] == "Sales 9", "it was not the word that it heard"


@pytest.mark.parametrize("how", ["kill", "freeze"])
def test_without_valkey_a_change_is_noticed_a_second_later_and_then_it_hears_again(
    cast: Cast, own_valkey: OwnValkey, child: Child, how: str
) -> None:
    eventually(lambda: child.ask(cast.sales) == ("Sales", True))

    getattr(own_valkey, how)()
    eventually(lambda: not child.ask(cast.sales)[1], 2.0)
    rename(cast.sales, "Alone")
    assert eventually(lambda: child.ask(cast.sales)[0] == "Alone", 2.0) < DOUBTFUL_SECONDS + 0.3

    Department.objects.filter(pk=cast.sales.pk).update(name="Missed")
    if how == "kill":
        own_valkey.start()
    else:
        own_valkey.thaw()
    eventually(lambda: child.ask(cast.sales) == ("Missed", True), 4.0)
    rename(cast.sales, "Heard")
    eventually(lambda: child.ask(cast.sales)[0] == "Heard", 1.0)
