"""The core behind both doors: what is written down, what comes once, what waits and what is given up."""

import concurrent.futures
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from agents.actions import create_agent
from agents.models import Agent
from api.calls import Call, Circumstances, LightRequest
from api.dispatch import send
from api.operations import operation
from api.replies import Change, Pending, Reply, Written
from api.serializers import CamelSerializer, Text
from api.views import PlatformView
from ground.bridge import in_django, on_background
from ground.errors import Conflict, Forbidden, InvalidInput, NotFound, Unprocessable
from identity.invalidation import rights_changed
from identity.models import Department
from identity.principal import Principal
from receipts.models import AuditEntry
from tests.cast import Cast

HTTP = Circumstances()


class DepartmentBody(CamelSerializer):
    """A department to make, or how to fail."""

    slug = Text()


class MakeView(PlatformView):
    """Makes departments; in the end it may fail."""

    @operation("departments:write", body=DepartmentBody, status=201)
    def post(self, request: Any, body: dict[str, Any]) -> Written:
        """Make one; `fault` makes it and fails, `taken` finds it taken."""
        made = Department.objects.create(tenant_id=request.auth.tenant_id, slug=body["slug"], name="New")
        if body["slug"] == "fault":
            raise RuntimeError("secret")
        if body["slug"] == "busy":
            raise Conflict
        return Written({"id": str(made.id)}, Change("create", "department", str(made.id), {}, {"slug": made.slug}))


class LaterView(PlatformView):
    """Makes a department and answers later what another thread sees of it."""

    waits = True
    may_end = threading.Event()

    @operation("departments:write", body=DepartmentBody)
    def post(self, request: Any, body: dict[str, Any]) -> Pending:
        """`wait` waits until it may end."""
        made = Department.objects.create(tenant_id=request.auth.tenant_id, slug=body["slug"], name="New")
        return Pending(on_background(self.seen(made)))

    async def seen(self, made: Department) -> dict[str, Any]:
        """How many rows another connection sees."""
        if made.slug == "wait":
            await in_django(self.may_end.wait, 10)
        if made.slug == "fault":
            raise RuntimeError("secret")
        return {"seen": await in_django(Department.objects.filter(pk=made.pk).count)}


def run(view: type[PlatformView], principal: Principal, slug: str, circumstances: Circumstances = HTTP) -> Any:
    request = LightRequest(principal, "POST", circumstances)
    answer = view.run(request, {}, {}, {"slug": slug})
    return answer.future.result(10) if isinstance(answer, Pending) else answer


def update(principal: Principal, key: str | None = None, agent_id: str = "helper", **body: Any) -> Any:
    circumstances = Circumstances("mcp", "agent_update", "r-1", key)
    return send(principal, Call("agent", "PATCH", {"agent_id": agent_id}, {}, body, circumstances))


def entries(cast: Cast) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(tenant_id=cast.tenant.id).order_by("id"))


def endings(cast: Cast) -> list[tuple[str, int]]:
    return [(entry.outcome, entry.status) for entry in entries(cast)]


def made(cast: Cast) -> set[str]:
    found = Department.objects.filter(tenant=cast.tenant).values_list("slug", flat=True)
    return set(found) - {"sales", "support"}


@pytest.fixture
def helper(cast: Cast) -> Agent:
    """An agent to change."""
    return create_agent(cast.ana.principal, slug="helper", name="Helper")


def test_a_write_is_written_down_with_who_what_and_how_but_no_values(cast: Cast, helper: Agent) -> None:
    update(cast.adam.principal, name="Secret name", tags=["a"])

    [entry] = entries(cast)
    assert (entry.user_id, entry.credential_kind, entry.door) == (cast.adam.user.id, "session", "mcp")
    assert (entry.operation, entry.tool, entry.request_id) == ("patch Agent", "agent_update", "r-1")
    assert (entry.object_type, entry.object_id, entry.changed) == ("agent", "helper", ["name", "tags"])
    assert (entry.outcome, entry.status) == ("ok", 200)
    assert 0 < entry.duration_ms < 10_000
    assert "Secret name" not in str({**entry.__dict__})


def test_a_read_leaves_no_entry(cast: Cast, helper: Agent) -> None:
    send(cast.ana.principal, Call("agent", "GET", {"agent_id": "helper"}))
    with pytest.raises(NotFound):
        send(cast.ana.principal, Call("agent", "GET", {"agent_id": "nobody"}))

    assert entries(cast) == []


def test_a_read_without_the_permission_is_written_down(cast: Cast, helper: Agent) -> None:
    cast.roles["viewer"].permissions = ["mcp:execute"]
    cast.roles["viewer"].save()

    with pytest.raises(Forbidden):
        send(cast.vic.principal, Call("agent", "GET", {"agent_id": "helper"}))

    assert [(entry.operation, entry.object_id, entry.outcome) for entry in entries(cast)] == [
        ("get Agent", "helper", "refused")
    ]


@pytest.mark.parametrize(
    ("person", "agent_id", "body", "kind", "status"),
    [
        ("ben", "helper", {"name": "x"}, Forbidden, 403),
        ("ana", "helper", {"nmae": "x"}, InvalidInput, 400),
        ("ana", "nobody", {"name": "x"}, NotFound, 404),
    ],
)
def test_a_refused_write_is_written_down(
    cast: Cast, helper: Agent, person: str, agent_id: str, body: dict[str, Any], kind: type[Exception], status: int
) -> None:
    with pytest.raises(kind):
        update(getattr(cast, person).principal, agent_id=agent_id, **body)

    [entry] = entries(cast)
    assert (entry.outcome, entry.status, entry.object_id, entry.changed) == ("refused", status, agent_id, [])


def test_our_own_fault_is_written_down_as_failed(cast: Cast) -> None:
    with pytest.raises(RuntimeError):
        run(MakeView, cast.ana.principal, "fault")

    assert endings(cast) == [("failed", 500)]


def test_the_same_key_gives_the_first_answer_and_one_effect(cast: Cast) -> None:
    once = Circumstances(idempotency_key="k")

    first, again = (run(MakeView, cast.ana.principal, "one", once) for _ in range(2))

    assert first == again == Reply({"id": str(Department.objects.get(tenant=cast.tenant, slug="one").id)}, 201)
    assert endings(cast) == [("ok", 201)]
    with pytest.raises(Unprocessable):
        run(MakeView, cast.ana.principal, "two", once)
    assert run(MakeView, cast.adam.principal, "two", once).status == 201
    assert made(cast) == {"one", "two"}


def test_two_at_once_have_one_effect(cast: Cast) -> None:
    once, principal = Circumstances(idempotency_key="k"), cast.ana.principal

    def attempt(_: int) -> Any:
        try:
            return run(MakeView, principal, "one", once).status
        except Conflict:
            return 409
        finally:
            connection.close()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(attempt, range(8)))

    assert set(statuses) <= {201, 409}
    assert 201 in statuses
    assert made(cast) == {"one"}
    assert [outcome for outcome, _ in endings(cast)].count("ok") == 1


@pytest.mark.parametrize(("slug", "kind"), [("fault", RuntimeError), ("busy", Conflict)])
def test_what_may_end_otherwise_is_undone_and_its_key_is_free_again(
    cast: Cast, slug: str, kind: type[Exception]
) -> None:
    once = Circumstances(idempotency_key="k")
    for _ in range(2):
        with pytest.raises(kind):
            run(MakeView, cast.ana.principal, slug, once)

    assert made(cast) == set()
    assert run(MakeView, cast.ana.principal, "other", once).status == 201


def test_a_refusal_is_kept_under_its_key(cast: Cast) -> None:
    with pytest.raises(NotFound):
        update(cast.ana.principal, "k", name="New")
    create_agent(cast.ana.principal, slug="helper", name="Helper")

    again = update(cast.ana.principal, "k", name="New")

    assert (again.status, again.body) == (404, {"error": "Agent with id helper not found"})
    assert update(cast.ana.principal, "k2", name="New").status == 200


def test_a_kept_answer_passes_the_checks_again(cast: Cast, helper: Agent) -> None:
    assert update(cast.adam.principal, "k", name="New").status == 200
    assert update(cast.adam.principal, "k", name="New").status == 200

    Agent.objects.filter(pk=helper.pk).update(visibility="private")
    with pytest.raises(NotFound):
        update(cast.adam.principal, "k", name="New")
    cast.roles["admin"].permissions = ["agents:read"]
    cast.roles["admin"].save()
    rights_changed(cast.tenant.id)
    with pytest.raises(Forbidden):
        update(cast.adam.principal, "k", name="New")


@pytest.mark.parametrize("key", [None, "k"])
def test_what_goes_on_later_finds_what_was_written_before(cast: Cast, key: str | None) -> None:
    answer = run(LaterView, cast.ana.principal, "one", Circumstances(idempotency_key=key))

    assert answer == Reply({"seen": 1})
    assert endings(cast) == [("ok", 200)]


def test_a_later_answer_is_kept_under_its_key(cast: Cast) -> None:
    once = Circumstances(idempotency_key="k")

    assert run(LaterView, cast.ana.principal, "one", once) == run(LaterView, cast.ana.principal, "one", once)
    assert made(cast) == {"one"}


def test_while_it_goes_on_the_key_is_taken(cast: Cast) -> None:
    LaterView.may_end.clear()
    request = LightRequest(cast.ana.principal, "POST", Circumstances(idempotency_key="k"))
    first = LaterView.run(request, {}, {}, {"slug": "wait"})
    assert isinstance(first, Pending)

    with pytest.raises(Conflict):
        LaterView.run(request, {}, {}, {"slug": "wait"})

    LaterView.may_end.set()
    assert first.future.result(10) == Reply({"seen": 1})


def test_a_later_fault_is_written_down_and_its_key_is_free_again(cast: Cast) -> None:
    with pytest.raises(RuntimeError):
        run(LaterView, cast.ana.principal, "fault", Circumstances(idempotency_key="k"))

    assert endings(cast) == [("failed", 500)]
    assert run(LaterView, cast.ana.principal, "other", Circumstances(idempotency_key="k")).status == 200


def test_what_is_given_up_is_written_down_and_its_key_is_free_again(cast: Cast) -> None:
    LaterView.may_end.clear()
    request = LightRequest(cast.ana.principal, "POST", Circumstances(idempotency_key="k"))
    pending = LaterView.run(request, {}, {}, {"slug": "wait"})
    assert isinstance(pending, Pending)

    pending.future.cancel()

    with pytest.raises(concurrent.futures.CancelledError):
        pending.future.result(10)
    LaterView.may_end.set()
    eventually(lambda: endings(cast) == [("failed", 499)])
    eventually(lambda: run_or_none(cast) == 200)


def run_or_none(cast: Cast) -> int | None:
    """The status under the key that was given up; None while it is not free yet."""
    try:
        return int(run(LaterView, cast.ana.principal, "other", Circumstances(idempotency_key="k")).status)
    except (Conflict, Unprocessable):
        return None


def eventually(fact: Callable[[], bool]) -> None:
    """The settling of a cancelled call is announced to nobody."""
    waiting, asked = threading.Event(), 0
    while not fact():
        asked += 1
        assert asked < 200, "it did not happen in time"
        waiting.wait(0.02)
