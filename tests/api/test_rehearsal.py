"""Dry runs: the real write, undone."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import Client

from agents.actions import create_agent
from agents.models import Agent
from api.database_errors import with_retries
from api.rehearsal import rehearse
from api.replies import Change, Written
from ground.errors import Conflict
from identity.models import Department, Membership
from receipts.models import AuditEntry
from tests.cast import Cast


def written(department: Department) -> Written:
    return Written({}, Change("create", "department", str(department.pk), {}, {"name": department.name}))


def rows() -> list[tuple[str, int]]:
    """How many rows each table has: counted in one snapshot, other tests' work being none at this moment."""
    names = connection.introspection.table_names()
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT '{name}', count(*) FROM \"{name}\"" for name in sorted(names)))  # noqa: S608
        return list(cursor.fetchall())


def test_nothing_is_left_of_a_rehearsal(cast: Cast) -> None:
    told: list[str] = []
    before = rows()

    def write() -> Written:
        made = Department.objects.create(tenant=cast.tenant, slug="new", name="New")
        Membership.objects.get(user=cast.ben.user).departments.add(made)
        transaction.on_commit(lambda: told.append("commit"))
        transaction.on_commit(lambda: told.append("robust commit"), robust=True)
        return written(made)

    preview = rehearse(write)

    assert preview["would"]["changes"] == {"name": {"from": None, "to": "New"}}
    assert rows() == before
    assert told == []
    assert not connection.in_atomic_block


def test_the_real_write_after_a_rehearsal_tells_its_own_news_alone(cast: Cast) -> None:
    told: list[str] = []

    def write(slug: str) -> Written:
        made = Department.objects.create(tenant=cast.tenant, slug=slug, name=slug)
        transaction.on_commit(lambda: told.append(slug))
        return written(made)

    rehearse(lambda: write("tried"))
    with transaction.atomic():
        rehearse(lambda: write("tried-inside"))
        write("real")

    assert told == ["real"]
    assert set(Department.objects.filter(tenant=cast.tenant).values_list("slug", flat=True)) == {
        "sales", "support", "real",
    }  # fmt: skip


def test_a_deferred_constraint_shows_as_in_the_real_write(cast: Cast) -> None:
    def write() -> Written:
        return written(Department.objects.create(tenant_id=uuid4(), slug="orphan", name="Orphan"))

    def really() -> None:
        with transaction.atomic():
            write()

    sentences = []
    for attempt in (lambda: rehearse(write), really):
        with pytest.raises(Conflict) as failure:
            with_retries(attempt, "POST")  # type: ignore[arg-type]
        sentences.append(failure.value.sentence)

    expected = "Insert failed (23503) — it refers to a record that does not exist, or is still referred to."
    assert sentences == [expected, expected]


def test_a_fault_of_the_write_is_the_rehearsals_too(cast: Cast) -> None:
    def write() -> Written:
        return written(Department.objects.create(tenant=cast.tenant, slug="sales", name="Again"))

    with pytest.raises(Conflict, match=r"^Insert failed \(23505\)"):
        with_retries(lambda: rehearse(write), "POST")

    assert not connection.in_atomic_block


def patch(cast: Cast, body: dict[str, Any], query: str = "", person: str = "ana") -> tuple[int, Any]:
    answer = Client().generic(
        "PATCH", f"/api/agents/helper{query}", json.dumps(body), content_type="application/json",
        headers=getattr(cast, person).headers,
    )  # fmt: skip
    return answer.status_code, answer.json()


@pytest.fixture
def helper(cast: Cast) -> Agent:
    """An agent to change."""
    return create_agent(cast.ana.principal, slug="helper", name="Helper")


WOULD = {
    "dryRun": True,
    "would": {
        "action": "update",
        "target": {"type": "agent", "id": "helper"},
        "changes": {"name": {"from": "Helper", "to": "Other"}},
    },
}


@pytest.mark.parametrize(
    ("body", "query"),
    [
        ({"name": "Other"}, "?dry_run=true"),
        ({"name": "Other", "dry_run": True}, ""),
        ({"name": "Other", "dry_run": "true"}, ""),
    ],
)
def test_a_route_previews_and_leaves_the_object_and_one_receipt(
    cast: Cast, helper: Agent, body: dict[str, Any], query: str
) -> None:
    cast.ana.headers  # noqa: B018  (the key is made before anything is counted)
    patch(cast, {"name": "Other"}, "?dry_run=true")
    before = dict(rows())

    assert patch(cast, body, query) == (200, WOULD)

    after = dict(rows())
    assert {name: after[name] - count for name, count in before.items() if after[name] != count} == {
        "receipts_auditentry": 1
    }
    assert Agent.objects.get(pk=helper.pk).name == "Helper"
    entries = AuditEntry.objects.filter(tenant_id=cast.tenant.id, dry_run=True)
    assert {(entry.outcome, entry.status) for entry in entries} == {("dry_run", 200)}


@pytest.mark.parametrize("unclear", ["True", "0", 1, "", 0, [], {}, "yes"])
def test_nothing_is_written_when_it_is_unclear_whether_to_write(cast: Cast, helper: Agent, unclear: Any) -> None:
    refused = {
        "error": "Invalid request body",
        "issues": [{"field": "dry_run", "message": "must be true or false"}],
    }
    assert patch(cast, {"name": "Other", "dry_run": unclear}) == (400, refused)
    assert Agent.objects.get(pk=helper.pk).name == "Helper"


@pytest.mark.parametrize("clear", [False, "false", None])
def test_a_clear_no_writes(cast: Cast, helper: Agent, clear: Any) -> None:
    assert patch(cast, {"name": "Other", "dry_run": clear})[0] == 200
    assert Agent.objects.get(pk=helper.pk).name == "Other"


def test_the_query_decides_before_the_body(cast: Cast, helper: Agent) -> None:
    assert patch(cast, {"name": "Other", "dry_run": False}, "?dry_run=true") == (200, WOULD)
    assert patch(cast, {"name": "Other"}, "?dry_run=1")[0] == 400


def test_a_route_without_a_dry_run_says_so(cast: Cast, helper: Agent) -> None:
    answer = Client().post(
        "/api/agents/helper/generate", {"messages": "hi", "dry_run": True}, "application/json", headers=cast.ana.headers
    )

    assert (answer.status_code, answer.json()) == (400, {"error": "This operation has no dry run."})
