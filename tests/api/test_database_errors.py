"""What a caller reads when the database refuses: each failure is provoked for real."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction

from api.database_errors import with_retries
from ground.errors import Conflict, InvalidInput, PlatformError, Unavailable
from identity.models import Department, Grant, Membership, Tenant
from tests.cast import Cast

BUSY = "the database is busy or restarting; try again in a moment."
TAKEN = "a record with these values already exists."
REFERRED = "it refers to a record that does not exist, or is still referred to."
CHANGED = "somebody changed the same record; try again."
WRONG = "a value has the wrong type, format or length."


def sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)


def slow(cast: Cast) -> None:
    with transaction.atomic():
        sql("SET LOCAL statement_timeout = 1")
        sql("SELECT pg_sleep(5)")


def role_in_use(cast: Cast) -> None:
    cast.roles["owner"].delete()


PROVOKED: list[tuple[str, Callable[[Cast], Any], type[PlatformError], str]] = [
    ("23505", lambda cast: Department.objects.create(tenant=cast.tenant, slug="sales", name="x"), Conflict, TAKEN),
    ("23503", lambda _: Department.objects.create(tenant_id=uuid4(), slug="x", name="x"), Conflict, REFERRED),
    ("23503", lambda cast: sql("DELETE FROM identity_tenant WHERE id = %s", str(cast.tenant.id)), Conflict, REFERRED),
    ("23503", role_in_use, Conflict, REFERRED),
    (
        "23502",
        lambda cast: Department.objects.create(tenant=cast.tenant, slug="x", name=None),
        InvalidInput,
        "a required value is missing.",
    ),
    (
        "23514",
        lambda cast: Grant.objects.create(tenant=cast.tenant, permission="agents:read", object_type="agent"),
        InvalidInput,
        "a value is outside the allowed range.",
    ),
    (
        "22001",
        lambda cast: Department.objects.create(tenant=cast.tenant, slug="s" * 61, name="x"),
        InvalidInput,
        WRONG,
    ),
    ("22P02", lambda _: sql("SELECT %s::uuid", "no uuid"), InvalidInput, WRONG),
    ("22003", lambda _: sql("SELECT 1e10::int"), InvalidInput, WRONG),
    ("22012", lambda _: sql("SELECT 1 / 0"), InvalidInput, WRONG),
    ("22000", lambda cast: Department.objects.create(tenant=cast.tenant, slug="x", name="\x00"), InvalidInput, WRONG),
    ("57014", slow, Unavailable, BUSY),
    ("57P01", lambda _: sql("SELECT pg_terminate_backend(pg_backend_pid())"), Unavailable, BUSY),
    ("53400", lambda _: sql("DO $$ BEGIN RAISE SQLSTATE '53400'; END $$"), Unavailable, BUSY),
    ("08006", lambda _: sql("DO $$ BEGIN RAISE SQLSTATE '08006'; END $$"), Unavailable, BUSY),
    ("P0001", lambda _: sql("DO $$ BEGIN RAISE 'secret'; END $$"), Conflict, "the database refused the change."),
    ("42P01", lambda _: sql("SELECT * FROM nowhere"), Conflict, "the database refused the change."),
]


@pytest.fixture(autouse=True)
def fresh_connection() -> Iterator[None]:
    """The tests end connections."""
    yield
    connection.close()


@pytest.mark.parametrize(("state", "provoke", "kind", "sentence"), PROVOKED, ids=[row[0] for row in PROVOKED])
def test_a_failure_is_one_sentence_and_nothing_of_the_database(
    cast: Cast, state: str, provoke: Callable[[Cast], Any], kind: type[PlatformError], sentence: str
) -> None:
    with pytest.raises(kind) as failure:
        with_retries(lambda: provoke(cast), "POST")

    assert failure.value.body() == {"error": f"Insert failed ({state}) — {sentence}"}


@pytest.mark.parametrize(
    ("method", "verb"),
    [("POST", "Insert"), ("PUT", "Update"), ("PATCH", "Update"), ("DELETE", "Delete"), ("GET", "Read")],
)
def test_the_verb_is_the_methods(method: str, verb: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^{verb} failed \(22012\) — "):
        with_retries(lambda: sql("SELECT 1 / 0"), method)


def test_a_connection_that_was_cut_in_a_transaction_is_a_lost_one() -> None:
    def work() -> None:
        with transaction.atomic():
            with ThreadPoolExecutor(1) as other:
                pid = connection.connection.info.backend_pid
                other.submit(end, pid).result()
            sql("SELECT 1")

    with pytest.raises(Unavailable, match=rf"^Update failed \((57P01|08006)\) — {BUSY}$"):
        with_retries(work, "PATCH")

    connection.close()
    assert Tenant.objects.count() > 0


def end(pid: int) -> None:
    try:
        sql("SELECT pg_terminate_backend(%s, 5000)", pid)
    finally:
        connection.close()


class Holder:
    """Another caller in another thread, who holds a department's row until told to let go."""

    def __init__(self, department: Department) -> None:
        self.department, self.holds, self.may_go = department, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Holder":
        self.thread.start()
        assert self.holds.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()

    def let_go(self) -> None:
        """Return when the row is free."""
        self.may_go.set()
        self.thread.join(10)

    def _run(self) -> None:
        with transaction.atomic():
            Department.objects.select_for_update().get(pk=self.department.pk)
            self.holds.set()
            self.may_go.wait(10)
        connection.close()


def test_a_locked_row_is_tried_three_times(cast: Cast) -> None:
    attempts = []

    def work() -> None:
        attempts.append(1)
        with transaction.atomic():
            Department.objects.select_for_update(nowait=True).get(pk=cast.sales.pk)

    with Holder(cast.sales), pytest.raises(Conflict) as failure:
        with_retries(work, "PATCH")

    assert failure.value.sentence == f"Update failed (55P03) — {CHANGED}"
    assert len(attempts) == 3


def test_the_third_attempt_may_succeed(cast: Cast) -> None:
    attempts = []
    with Holder(cast.sales) as holder:

        def work() -> str:
            attempts.append(1)
            if len(attempts) == 3:
                holder.let_go()
            with transaction.atomic():
                return Department.objects.select_for_update(nowait=True).get(pk=cast.sales.pk).slug

        assert with_retries(work, "PATCH") == "sales"

    assert len(attempts) == 3


def test_inside_a_transaction_of_the_caller_nothing_is_tried_again(cast: Cast) -> None:
    attempts = []

    def work() -> None:
        attempts.append(1)
        Department.objects.select_for_update(nowait=True).get(pk=cast.sales.pk)

    with Holder(cast.sales), pytest.raises(Conflict), transaction.atomic():
        with_retries(work, "PATCH")

    assert len(attempts) == 1


def together(first: Callable[[], None], second: Callable[[], None]) -> list[Exception | None]:
    """Both at once, each in a thread of its own; what each raised."""

    def outcome(work: Callable[[], None]) -> Exception | None:
        try:
            with_retries(work, "PATCH")
        except Exception as failure:
            return failure
        finally:
            connection.close()
        return None

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(outcome, (first, second)))


def test_a_deadlock_is_tried_again_until_both_are_through(cast: Cast) -> None:
    meet, attempts = threading.Barrier(2), []

    def rename(first: Department, second: Department) -> Callable[[], None]:
        def work() -> None:
            attempts.append(1)
            with transaction.atomic():
                Department.objects.filter(pk=first.pk).update(name="New")
                if len(attempts) <= 2:
                    meet.wait(10)
                Department.objects.filter(pk=second.pk).update(name="New")

        return work

    assert together(rename(cast.sales, cast.support), rename(cast.support, cast.sales)) == [None, None]
    # Each looks for a deadlock when it has waited a second: both may find the same one, and both are ended.
    assert len(attempts) in (3, 4)


def test_a_serialisation_failure_is_tried_again_until_both_are_through(cast: Cast) -> None:
    meet, attempts = threading.Barrier(2), []

    def append(letter: str) -> Callable[[], None]:
        def work() -> None:
            attempts.append(1)
            with transaction.atomic():
                sql("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
                name = Department.objects.get(pk=cast.sales.pk).name
                if len(attempts) <= 2:
                    meet.wait(10)
                Department.objects.filter(pk=cast.sales.pk).update(name=name + letter)

        return work

    assert together(append("a"), append("b")) == [None, None]
    assert len(attempts) == 3
    assert sorted(Department.objects.get(pk=cast.sales.pk).name[-2:]) == ["a", "b"]


def test_nothing_but_conflicts_is_tried_again(cast: Cast) -> None:
    attempts = []

    def work() -> None:
        attempts.append(1)
        Department.objects.create(tenant=cast.tenant, slug="sales", name="x")

    with pytest.raises(Conflict):
        with_retries(work, "POST")

    assert len(attempts) == 1
    assert Membership.objects.filter(tenant=cast.tenant).count() == 6
