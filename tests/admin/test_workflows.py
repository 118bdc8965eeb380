"""Workflows in the admin: drawn, written and checked by who may write them, looked at by the others."""

import json
from typing import Any

import pytest
from django.urls import reverse

from identity.models import Role
from receipts.models import AuditEntry
from tests.admin.browser import errors_of, list_of, page_of, signed_in, superuser
from tests.cast import Cast, Person
from tests.queries import counted_queries
from workflows.actions import start_run
from workflows.models import Workflow

GRAPH = {
    "inputSchema": {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]},
    "steps": [
        {"type": "mapping", "id": "total", "mapping": {"total": "input.amount"}},
        {"type": "step", "step": {"id": "ask", "function": "approval"}},
    ],
}


def stored(person: Person, slug: str = "refund", **fields: Any) -> Workflow:
    """A stored workflow of this person's tenant."""
    values = {"name": slug.capitalize(), "graph": GRAPH, **fields}
    return Workflow.objects.create(tenant_id=person.principal.tenant_id, slug=slug, **values)


def _form(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Refund", "slug": "refund", "description": "Pays back.", "department": "", "enabled": "on",
        "graph": json.dumps(GRAPH), **changes,
    }  # fmt: skip


def _only_looks(cast: Cast) -> None:
    role = Role.objects.get(pk=cast.roles["admin"].pk)
    role.permissions = ["*:read"]
    role.save()


def test_staff_write_a_workflow(cast: Cast) -> None:
    response = signed_in(cast.adam).post(list_of(Workflow, "add"), _form())

    assert response.status_code == 302
    workflow = Workflow.objects.get(tenant=cast.tenant, slug="refund")
    assert (workflow.name, workflow.graph, workflow.origin) == ("Refund", GRAPH, "dynamic")
    entry = AuditEntry.objects.get(tenant_id=cast.tenant.pk, operation="save workflow")
    assert (entry.door, entry.object_type, entry.object_id) == ("admin", "workflow", "refund")


def test_a_page_shows_the_graph_as_a_drawing_and_as_json(cast: Cast) -> None:
    page = signed_in(cast.ana).get(page_of(stored(cast.ana))).content.decode()

    assert '<svg xmlns="http://www.w3.org/2000/svg" class="workflow-drawing" role="img"' in page
    assert 'data-path="total"' in page
    assert 'data-path="ask"' in page
    assert "&quot;function&quot;: &quot;approval&quot;" in page


def test_a_change_of_the_graph_is_for_new_runs(cast: Cast) -> None:
    workflow = stored(cast.ana)
    before = start_run(cast.ana.principal, "refund", given={"amount": 1}).run
    changed = {**GRAPH, "steps": GRAPH["steps"][1:]}

    signed_in(cast.ana).post(page_of(workflow), _form(graph=json.dumps(changed)))
    after = start_run(cast.ana.principal, "refund", given={"amount": 1}).run

    assert [before.version.number, after.version.number] == [1, 2]
    assert [len(run.version.body["steps"]) for run in (before, after)] == [2, 1]


@pytest.mark.parametrize(
    ("graph", "sentence"),
    [
        ("{", "This is no JSON"),
        ('{"steps": [], "steps": []}', "This is no JSON: an object has the same key twice."),
        ("", "This field is required."),
        ('{"steps": [{"type": "jump"}]}', "steps.0.type: must be one of "),
        ('{"steps": [{"type": "step", "step": {"id": "a", "function": "no_such"}}]}',
         "steps.0.step.function: names the function no_such, which does not exist"),
        ('{"steps": [{"type": "workflow", "id": "a", "workflowId": "refund"}]}', "contains itself"),
    ],
)  # fmt: skip
def test_a_graph_that_cannot_run_is_refused_at_the_field(cast: Cast, graph: str, sentence: str) -> None:
    response = signed_in(cast.ana).post(list_of(Workflow, "add"), _form(graph=graph))

    errors = errors_of(response)
    assert list(errors) == ["graph"]
    assert any(sentence in said for said in errors["graph"])
    assert not Workflow.objects.filter(tenant=cast.tenant, slug="refund").exists()


def test_what_was_typed_stays_as_it_was(cast: Cast) -> None:
    response = signed_in(cast.ana).post(list_of(Workflow, "add"), _form(graph='{"steps":\n  oops}'))

    assert "{&quot;steps&quot;:\n  oops}" in response.content.decode()


def test_an_id_is_given_once(cast: Cast) -> None:
    stored(cast.ana)

    response = signed_in(cast.ana).post(list_of(Workflow, "add"), _form())

    assert errors_of(response) == {"slug": ["Another workflow has this id."]}


def test_the_list_counts_versions_and_runs_by_status(cast: Cast) -> None:
    stored(cast.ana)
    stored(cast.zoe, "foreign")
    for amount in (1, 2):
        start_run(cast.ana.principal, "refund", given={"amount": amount})

    page = signed_in(cast.ana).get(list_of(Workflow)).content.decode()

    assert "2 suspended</a>" in page
    assert "foreign" not in page


def test_the_list_takes_as_many_queries_for_many_workflows(cast: Cast) -> None:
    browser = signed_in(cast.ana)
    stored(cast.ana, "first")
    browser.get(list_of(Workflow))
    with counted_queries() as for_one:
        browser.get(list_of(Workflow))

    for name in ("second", "third"):
        stored(cast.ana, name)
    with counted_queries() as for_three:
        browser.get(list_of(Workflow))

    assert len(for_one) == len(for_three)


def test_foreign_workflows_are_not_there(cast: Cast) -> None:
    workflow = stored(cast.zoe)

    for kind in ("change", "delete"):
        assert signed_in(cast.ana).get(page_of(workflow, kind)).status_code == 302
        assert signed_in(cast.ana).post(page_of(workflow, kind), _form(name="Mine", post="yes")).status_code == 302
    workflow.refresh_from_db()
    assert workflow.name == "Refund"


def test_members_see_no_page(cast: Cast) -> None:
    workflow = stored(cast.ana)

    assert signed_in(cast.ben).get(page_of(workflow)).status_code == 403
    assert signed_in(cast.ben).get(list_of(Workflow)).status_code == 403


def test_staff_who_may_not_write_only_look(cast: Cast) -> None:
    workflow = stored(cast.ana)
    _only_looks(cast)
    browser = signed_in(cast.adam)

    page = browser.get(page_of(workflow))
    answers = [
        browser.post(page_of(workflow), _form(name="Mine")).status_code,
        browser.post(list_of(Workflow, "add"), _form(slug="other")).status_code,
        browser.post(page_of(workflow, "delete"), {"post": "yes"}).status_code,
    ]

    assert b"workflow-drawing" in page.content
    assert b"<textarea" not in page.content
    assert answers == [403, 403, 403]
    assert [found.name for found in Workflow.objects.filter(tenant=cast.tenant, origin="dynamic")] == ["Refund"]


def test_a_workflow_without_runs_can_be_removed(cast: Cast) -> None:
    workflow = stored(cast.ana)

    response = signed_in(cast.ana).post(page_of(workflow, "delete"), {"post": "yes"})

    assert response.status_code == 302
    assert not Workflow.objects.filter(pk=workflow.pk).exists()


def test_a_workflow_with_runs_stays(cast: Cast) -> None:
    workflow = stored(cast.ana)
    start_run(cast.ana.principal, "refund", given={"amount": 1})

    response = signed_in(cast.ana).post(page_of(workflow, "delete"), {"post": "yes"})

    assert response.status_code == 403
    assert Workflow.objects.filter(pk=workflow.pk).exists()


def test_a_superuser_writes_in_a_tenant_that_they_choose(cast: Cast) -> None:
    browser = superuser("workflows")

    response = browser.post(list_of(Workflow, "add"), _form(tenant=str(cast.tenant.pk)))

    assert response.status_code == 302
    assert Workflow.objects.get(slug="refund", tenant=cast.tenant).graph == GRAPH


def test_a_workflow_that_cannot_be_composed_says_why(cast: Cast) -> None:
    inner = {"steps": [{"type": "workflow", "id": "a", "workflowId": "gone"}]}
    page = signed_in(cast.ana).get(page_of(stored(cast.ana, graph=inner))).content.decode()

    assert "contains the workflow gone, which does not exist" in page
    assert 'workflow-drawing" role' not in page


def test_the_sidebar_leads_to_workflows_and_runs(cast: Cast) -> None:
    page = signed_in(cast.ana).get(reverse("admin:index")).content.decode()

    assert list_of(Workflow) in page
    assert reverse("admin:workflows_workflowrun_changelist") in page
