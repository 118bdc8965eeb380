"""What the pages of workflows do in a browser: a run's page follows the run, buttons act, phones show it all."""

import pytest
from playwright.sync_api import expect

from tests.admin import test_in_a_browser
from tests.admin.browser import list_of, page_of
from tests.admin.test_in_a_browser import Opened
from tests.admin.test_workflows_runs import suspended
from tests.cast import Cast
from workflows.actions import cancel_run, resume_run
from workflows.models import Workflow, WorkflowRun

pytestmark = pytest.mark.browser
base, opened = test_in_a_browser.base, test_in_a_browser.opened


def test_a_page_follows_its_run(cast: Cast, opened: Opened) -> None:
    run = suspended(cast.ana)
    page = opened(cast.ana, page_of(run))
    ask = page.locator('[data-path="ask"]')
    expect(ask).to_have_class("node step is-suspended")
    page.locator('details[data-place="run Input"] summary').click()

    resume_run(cast.ana.principal, "refund", run.run_id, resume_data={"approved": True})

    expect(ask).to_have_class("node step is-success")
    expect(page.locator('[data-part="facts"]')).to_contain_text("success")
    expect(page.get_by_role("button", name="Cancel the run")).to_have_count(0)
    expect(page.locator('details[data-place="run Input"] pre')).to_be_visible()
    expect(page.locator('details[data-place="run Result"]')).to_have_count(1)


def test_what_somebody_writes_is_not_replaced(cast: Cast, opened: Opened) -> None:
    run = suspended(cast.ana)
    page = opened(cast.ana, page_of(run))
    page.locator("[name=resume_data]").fill('{"approved": tr')

    with page.expect_response(lambda answer: answer.url.endswith("/parts/")):
        pass
    expect(page.locator("[name=resume_data]")).to_have_value('{"approved": tr')
    cancel_run(cast.ana.principal, "refund", run.run_id)

    expect(page.locator("[name=resume_data]")).to_have_count(0)


def test_buttons_resume_and_cancel(cast: Cast, opened: Opened) -> None:
    first, second = suspended(cast.ana, "first"), suspended(cast.ana, "second")
    page = opened(cast.ana, page_of(first))
    page.locator("[name=resume_data]").fill('{"approved": "perhaps"}')
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Invalid resume data")).to_be_visible()
    page.locator("[name=resume_data]").fill('{"approved": false}')
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("ask goes on.")).to_be_visible()

    page.goto(page.url.replace(str(first.pk), str(second.pk)))
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.get_by_text("Run second is canceled.")).to_be_visible()

    found = WorkflowRun.objects.filter(pk__in=[first.pk, second.pk]).order_by("run_id")
    assert [(run.status, run.result) for run in found] == [("success", False), ("canceled", None)]


def test_pages_fit_a_phone(cast: Cast, opened: Opened) -> None:
    run = suspended(cast.ana, "x" * 200, {"amount": "y" * 5000})
    lanes = [
        {"type": "step", "step": {"id": f"a-rather-long-id-{number}", "function": "approval"}} for number in range(9)
    ]
    graph = {"steps": [{"type": "parallel", "steps": lanes}]}
    wide = Workflow.objects.create(tenant=cast.tenant, slug="wide", name="Wide", graph=graph)
    addresses = [list_of(Workflow), list_of(Workflow, "add"), page_of(wide), list_of(WorkflowRun), page_of(run)]
    page = opened(cast.ana, list_of(Workflow))
    page.set_viewport_size({"width": 390, "height": 844})

    widths = {}
    for address in addresses:
        page.goto(page.url.split("/admin/")[0] + address)
        widths[address] = page.evaluate("document.documentElement.scrollWidth")

    assert widths == dict.fromkeys(addresses, 390)


def test_a_wide_graph_shows_its_middle(cast: Cast, opened: Opened) -> None:
    lanes = [{"type": "step", "step": {"id": f"lane-{number}", "function": "approval"}} for number in range(20)]
    graph = {"steps": [{"type": "parallel", "steps": lanes}]}
    wide = Workflow.objects.create(tenant=cast.tenant, slug="wide", name="Wide", graph=graph)

    page = opened(cast.ana, page_of(wide))

    expect(page.locator('[data-path="lane-10"]')).to_be_in_viewport()
    expect(page.locator('[data-path="lane-0"]')).not_to_be_in_viewport()
