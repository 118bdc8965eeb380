"""What pages do in a browser: a list counts what it reaches, broad ticks cover narrow ones, and phones show it all."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.db import connections
from django.urls import reverse
from playwright.sync_api import Page, expect, sync_playwright

from credentials.actions import issue_key
from credentials.allowlist import matching
from credentials.models import ApiKey
from identity.models import Grant, Membership
from receipts.models import AuditEntry
from tests.admin.browser import list_of, page_of, signed_in
from tests.cast import Cast, Person
from tests.gateway.servers import atrium
from tests.left_out import NEEDED

pytestmark = pytest.mark.browser
Opened = Callable[[Person, str], Page]


@pytest.fixture(scope="module")
def base(real_database: None) -> Iterator[str]:
    """A server of its own."""
    with atrium("uvicorn") as door:
        yield door.base


@pytest.fixture
def opened(base: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Opens an address as a person; a script that fails or a missing file fails the test."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright keeps a loop in this thread, which only waits
    found = next(path for name in NEEDED["browser"] if (path := shutil.which(name)))
    faults: list[str] = []

    def open_(person: Person, address: str) -> Page:
        cookie = signed_in(person).cookies[settings.SESSION_COOKIE_NAME].value
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": base}])
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("response", lambda answer: faults.append(answer.url) if answer.status >= 400 else None)
        page.goto(base + address)
        return page

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield open_
        chromium.close()
        connections.close_all()  # of this loop; those outside are others
    assert faults == []


def test_a_list_says_what_it_reaches_and_what_it_costs(cast: Cast, opened: Opened) -> None:
    page = opened(cast.ana, list_of(ApiKey, "add"))
    every = len(matching(["*"], cast.tenant.pk))
    said = page.locator(".atrium-count")
    page.get_by_label("agent_list", exact=True).check()

    expect(said).to_contain_text(f"Reaches 1 of {every} tools: agent_list. Choose an owner")
    page.locator("textarea[name=allowlist]").fill("department_*")
    expect(said).to_contain_text(f"Reaches 2 of {every} tools: agent_list, department_list.")
    page.locator("[name=owner]").evaluate(
        "(field, value) => { field.value = value; django.jQuery(field).trigger('change') }", str(cast.ben.user.pk)
    )
    expect(said).to_contain_text("Their list costs a model")
    page.get_by_label("Every tool").check()
    expect(said).to_contain_text(f"Reaches {every} of {every} tools")
    expect(page.get_by_label("agent_get", exact=True)).to_be_checked()
    page.get_by_label("Every tool").uncheck()
    expect(page.get_by_label("agent_get", exact=True)).not_to_be_checked()
    expect(page.get_by_label("agent_list", exact=True)).to_be_checked()


def test_a_key_is_issued_and_its_secret_is_gone_on_the_next_page(cast: Cast, opened: Opened) -> None:
    page = opened(cast.ana, list_of(ApiKey, "add"))
    page.locator("[name=name]").fill("Laptop")
    page.locator("[name=owner]").evaluate("(field, value) => { field.value = value }", str(cast.ben.user.pk))
    page.get_by_label("agent_list", exact=True).check()
    page.locator("[name=_save]").click()

    secret = page.get_by_label("API key").input_value()
    assert secret.startswith("mcpk_")
    page.get_by_text("I have copied it").click()
    expect(page.get_by_text("Laptop")).to_be_visible()
    assert secret not in page.content()
    assert ApiKey.objects.get(owner=cast.ben.user).allowlist == ["agent_list"]


def test_what_a_broad_tick_covers_is_not_kept_beside_it(cast: Cast, opened: Opened) -> None:
    role = cast.roles["viewer"]
    page = opened(cast.ana, page_of(role))
    cell = page.get_by_label("agents:read", exact=True)
    expect(cell).to_be_checked()
    expect(cell).to_be_disabled()

    page.get_by_label("*:read", exact=True).uncheck()
    expect(cell).not_to_be_checked()
    cell.check()
    page.locator("[name=_save]").click()

    expect(page.get_by_text("was changed successfully")).to_be_visible()
    role.refresh_from_db()
    assert role.permissions == ["agents:read", "mcp:execute"]


def test_pages_fit_a_phone(cast: Cast, opened: Opened) -> None:
    key = issue_key(cast.ana.principal, owner=cast.ben.user, name="A name that is rather long", allowlist=["*"])[0]
    page = opened(cast.ana, reverse("admin:index"))
    page.set_viewport_size({"width": 390, "height": 844})
    addresses = [
        reverse("admin:index"), list_of(ApiKey), list_of(ApiKey, "add"), page_of(key), page_of(cast.roles["admin"]),
        list_of(Membership), page_of(cast.ben.membership), list_of(Grant, "add"), list_of(AuditEntry),
    ]  # fmt: skip

    widths = {}
    for address in addresses:
        page.goto(page.url.split("/admin/")[0] + address)
        widths[address] = page.evaluate("document.documentElement.scrollWidth")

    assert widths == dict.fromkeys(addresses, 390)
