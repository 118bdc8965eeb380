"""Runs in the admin: coloured, laid out over time, canceled and resumed as by the routes."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from identity.models import Role
from tests.admin.browser import list_of, page_of, signed_in, superuser
from tests.cast import Cast, Person
from workflows.actions import start_run
from workflows.models import Workflow, WorkflowRun, WorkflowStep

GRAPH = {
    "steps": [
        {"type": "mapping", "id": "total", "mapping": {"total": "input.amount"}},
        {"type": "step", "step": {"id": "ask", "function": "approval"}},
        {"type": "mapping", "id": "done", "mapping": "input.approved"},
    ]
}


def suspended(person: Person, run_id: str = "run-1", given: Any = None) -> WorkflowRun:
    """A run of this person that waits for an approval."""
    values = {"name": "Refund", "graph": GRAPH}
    Workflow.objects.get_or_create(tenant_id=person.principal.tenant_id, slug="refund", defaults=values)
    run = start_run(person.principal, "refund", given=given or {"amount": 7}, run_id=run_id).run
    assert run.status == "suspended"
    return run


def act(kind: str, run: WorkflowRun) -> str:
    """The address of one of the run's own views."""
    return reverse(f"admin:workflows_workflowrun_{kind}", args=[run.pk])


def status(run: WorkflowRun) -> str:
    """As the database has it now."""
    return WorkflowRun.objects.get(pk=run.pk).status


def states(html: str) -> dict[str, str]:
    """The states of the drawing's nodes."""
    return {path: look for look, path in re.findall(r'class="node \w+ is-(\w+)" data-path="([^"]+)"', html)}


def said(response: Any) -> list[str]:
    """The messages of the page that a form leads to."""
    return [str(message) for message in response.context["messages"]]


def _only_looks(cast: Cast) -> None:
    role = Role.objects.get(pk=cast.roles["admin"].pk)
    role.permissions = ["*:read"]
    role.save()


def test_a_page_shows_what_became_of_each_step(cast: Cast) -> None:
    page = signed_in(cast.ana).get(page_of(suspended(cast.ana))).content.decode()

    assert states(page) == {"total": "success", "ask": "suspended", "done": "unreached"}
    assert '<span class="workflow-state is-suspended">suspended</span>' in page
    assert "&quot;amount&quot;: 7" in page
    assert '<option value="ask">ask</option>' in page


def test_the_list_shows_status_starter_and_duration(cast: Cast) -> None:
    run = suspended(cast.ana)
    WorkflowRun.objects.filter(pk=run.pk).update(ended_at=run.created_at + timedelta(seconds=90))
    foreign = suspended(cast.zoe, "foreign-run")

    page = signed_in(cast.ana).get(list_of(WorkflowRun)).content.decode()

    assert "run-1" in page
    assert "Ana" in page
    assert "1 min 30 s" in page
    assert foreign.run_id not in page


def test_the_list_is_filtered_by_status_and_workflow(cast: Cast) -> None:
    run = suspended(cast.ana)
    browser = signed_in(cast.ana)

    def found(**query: str) -> bool:
        return page_of(run) in browser.get(list_of(WorkflowRun), query).content.decode()

    assert found(status="suspended")
    assert found(workflow__id__exact=str(run.workflow_id))
    assert not found(status="success")


def test_the_filters_name_only_workflows_of_the_tenant(cast: Cast) -> None:
    suspended(cast.ana)
    Workflow.objects.create(tenant=cast.other_tenant, slug="theirs", name="Of another tenant", graph=GRAPH)

    assert "Of another tenant" not in signed_in(cast.ana).get(list_of(WorkflowRun)).content.decode()


def test_canceling_ends_the_run(cast: Cast) -> None:
    run = suspended(cast.ben)

    response = signed_in(cast.ana).post(act("cancel", run), follow=True)

    assert status(run) == "canceled"
    assert said(response) == ["Run run-1 is canceled."]
    page = response.content.decode()
    assert states(page) == {"total": "success", "ask": "canceled", "done": "unreached"}
    assert "Cancel the run" not in page


def test_canceling_what_is_over_says_so(cast: Cast) -> None:
    run = suspended(cast.ana)
    browser = signed_in(cast.ana)
    browser.post(act("cancel", run), follow=True)

    response = browser.post(act("cancel", run), follow=True)

    assert said(response) == ["This workflow run is over (canceled) and cannot be cancelled."]


def test_resuming_takes_the_run_on(cast: Cast) -> None:
    run = suspended(cast.ana)

    response = signed_in(cast.ana).post(
        act("resume", run), {"step": "ask", "resume_data": '{"approved": true}'}, follow=True
    )

    assert said(response) == ["ask goes on."]
    assert status(run) == "success"
    assert WorkflowRun.objects.get(pk=run.pk).result is True
    assert states(response.content.decode()) == {"total": "success", "ask": "success", "done": "success"}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [("{", "This is no JSON"), ('{"approved": "perhaps"}', "Invalid resume data"), ("", "Invalid resume data")],
)
def test_resume_data_that_does_not_fit_is_refused_at_the_field(cast: Cast, data: str, sentence: str) -> None:
    run = suspended(cast.ana)

    response = signed_in(cast.ana).post(act("resume", run), {"step": "ask", "resume_data": data})

    assert sentence in response.context["form"].errors["resume_data"][0]
    assert response.context["form"]["resume_data"].value() == data
    assert status(run) == "suspended"


def test_a_step_that_does_not_wait_cannot_be_chosen(cast: Cast) -> None:
    run = suspended(cast.ana)

    response = signed_in(cast.ana).post(act("resume", run), {"step": "total", "resume_data": "{}"})

    assert list(response.context["form"].errors) == ["step"]
    assert status(run) == "suspended"


def test_an_item_of_a_foreach_is_resumed_alone(cast: Cast) -> None:
    each = {"type": "foreach", "step": {"type": "step", "step": {"id": "ask", "function": "approval"}}}
    graph = {"steps": [{**each, "opts": {"concurrency": 3}}]}
    Workflow.objects.create(tenant=cast.tenant, slug="many", name="Many", graph=graph)
    run = start_run(cast.ana.principal, "many", given=[1, 2, 3]).run

    signed_in(cast.ana).post(act("resume", run), {"step": "ask[1]", "resume_data": '{"approved": true}'})

    steps = WorkflowStep.objects.filter(run=run, path__contains="[").order_by("path")
    assert [step.status for step in steps] == ["suspended", "success", "suspended"]


def test_another_run_of_the_same_id_is_left_alone(cast: Cast) -> None:
    run, own = suspended(cast.ben), suspended(cast.ana)

    signed_in(cast.ana).post(act("cancel", run), follow=True)

    assert [status(run), status(own)] == ["canceled", "suspended"]


def test_foreign_runs_are_not_there(cast: Cast) -> None:
    run = suspended(cast.zoe)
    browser = signed_in(cast.ana)

    assert browser.get(act("parts", run)).status_code == 404
    assert browser.post(act("cancel", run)).status_code == 404
    assert browser.post(act("resume", run), {"step": "ask", "resume_data": "{}"}).status_code == 404
    assert browser.get(page_of(run)).status_code == 302
    assert status(run) == "suspended"


def test_staff_who_may_not_write_only_look(cast: Cast) -> None:
    run = suspended(cast.adam)
    _only_looks(cast)
    browser = signed_in(cast.adam)

    page = browser.get(page_of(run)).content.decode()

    assert states(page)["ask"] == "suspended"
    assert "Cancel the run" not in page
    assert "resume_data" not in page
    assert browser.post(act("cancel", run)).status_code == 403
    assert browser.post(act("resume", run), {"step": "ask", "resume_data": "{}"}).status_code == 403
    assert status(run) == "suspended"


def test_members_see_no_page(cast: Cast) -> None:
    run = suspended(cast.ben)
    browser = signed_in(cast.ben)

    for address in (page_of(run), list_of(WorkflowRun)):
        assert browser.get(address).status_code == 403
    assert browser.get(act("parts", run)).status_code == 404
    assert browser.post(act("cancel", run)).status_code == 404
    assert status(run) == "suspended"


def test_a_superuser_cancels_a_run_of_any_tenant(cast: Cast) -> None:
    run = suspended(cast.zoe)

    superuser("runs").post(act("cancel", run))

    assert status(run) == "canceled"


def test_the_page_asks_for_parts_that_changed(cast: Cast) -> None:
    run = suspended(cast.ana)
    browser = signed_in(cast.ana)

    before = browser.get(act("parts", run)).json()
    browser.post(act("cancel", run))
    after = browser.get(act("parts", run)).json()

    assert (before["over"], after["over"]) == (False, True)
    assert set(before["parts"]) == {"facts", "actions", "graph", "timeline", "values"}
    assert before["parts"]["actions"]["key"] == "cancel,ask"
    assert after["parts"]["actions"] == {"key": "", "html": after["parts"]["actions"]["html"]}
    assert states(after["parts"]["graph"]["html"])["ask"] == "canceled"
    assert before["parts"]["graph"]["key"] != after["parts"]["graph"]["key"]


def test_runs_are_only_looked_at(cast: Cast) -> None:
    run = suspended(cast.ana)
    browser = signed_in(cast.ana)

    assert browser.get(list_of(WorkflowRun, "add")).status_code == 403
    assert browser.post(page_of(run), {"run_id": "other"}).status_code == 403
    assert browser.post(page_of(run, "delete"), {"post": "yes"}).status_code == 403
    assert WorkflowRun.objects.get(pk=run.pk).run_id == "run-1"


def test_whatever_a_run_holds_is_text(cast: Cast) -> None:
    run = suspended(cast.ana, "<script>1</script>", {"amount": "</pre><script>2</script>"})

    page = signed_in(cast.ana).get(page_of(run)).content.decode()

    assert "<script>1" not in page
    assert "<script>2" not in page
