"""Tools in the admin: staff decide who sees them, felt at once, and may try them."""

from typing import Any

import pytest
from django.urls import reverse

from identity.models import Role
from receipts.models import AuditEntry
from tests.admin.browser import list_of, page_of, signed_in, superuser
from tests.agents.http import get
from tests.cast import Cast, Person
from toolbox.models import Tool
from toolbox.rows import ensure_rows


def tool_of(person: Person, slug: str = "calculator") -> Tool:
    ensure_rows(person.membership.tenant_id)
    return Tool.objects.get(tenant=person.membership.tenant, slug=slug)


def try_page(tool: Tool) -> str:
    return reverse("admin:toolbox_tool_try", args=[tool.pk])


def shown(response: Any) -> str:
    return str(response.content.decode())


def test_the_list_holds_every_declared_tool(cast: Cast) -> None:
    page = shown(signed_in(cast.ana).get(list_of(Tool)))

    assert [word in page for word in ("calculator", "current_time", "http_fetch")] == [True] * 3
    assert "Works out an arithmetic expression" in page
    assert "Add tool" not in page


def test_a_row_without_a_function_is_not_shown(cast: Cast) -> None:
    gone = Tool.objects.create(tenant=cast.tenant, slug="gone-tool")

    assert "gone-tool" not in shown(signed_in(cast.ana).get(list_of(Tool)))
    assert signed_in(cast.ana).get(page_of(gone)).status_code == 302


def test_a_tool_is_shown_with_what_it_takes(cast: Cast) -> None:
    page = shown(signed_in(cast.ana).get(page_of(tool_of(cast.ana))))

    assert "toolbox.shipped.calculator.calculator" in page
    assert "in a process of its own, for at most 5 seconds and with 128 MB" in page
    assert "&quot;expression&quot;" in page


def test_a_change_is_felt_at_once_and_written_down(cast: Cast) -> None:
    tool = tool_of(cast.ana)
    before = get(cast.bea, "/tools/calculator").status

    response = signed_in(cast.ana).post(page_of(tool), {"department": str(cast.sales.pk), "enabled": "on"})

    assert response.status_code == 302
    assert (before, get(cast.bea, "/tools/calculator").status) == (200, 404)
    assert get(cast.ben, "/tools/calculator").status == 200
    entry = AuditEntry.objects.get(tenant_id=cast.tenant.pk, operation="save tool")
    assert (entry.door, entry.object_id, entry.changed) == ("admin", "calculator", ["department"])


def test_a_disabled_tool_is_gone_for_callers(cast: Cast) -> None:
    signed_in(cast.ana).post(page_of(tool_of(cast.ana)), {"department": ""})

    assert "calculator" not in get(cast.ben, "/tools").body
    assert "calculator" in get(cast.zoe, "/tools").body


def test_nothing_but_department_and_enabled_can_be_changed(cast: Cast) -> None:
    tool = tool_of(cast.ana)

    signed_in(cast.ana).post(page_of(tool), {"department": "", "enabled": "on", "slug": "other"})
    signed_in(cast.ana).post(page_of(tool, "delete"), {"post": "yes"})

    assert [found.slug for found in Tool.objects.filter(pk=tool.pk)] == ["calculator"]
    assert signed_in(cast.ana).get(list_of(Tool, "add")).status_code == 403


def test_a_department_of_another_tenant_cannot_be_chosen(cast: Cast) -> None:
    cast.sales.tenant = cast.other_tenant
    cast.sales.save()
    tool = tool_of(cast.ana)

    response = signed_in(cast.ana).post(page_of(tool), {"department": str(cast.sales.pk), "enabled": "on"})

    assert response.status_code == 200
    tool.refresh_from_db()
    assert tool.department_id is None


def test_staff_without_the_permission_look_and_change_nothing(cast: Cast) -> None:
    Role.objects.filter(pk=cast.roles["admin"].pk).update(permissions=["*:read"])
    tool, client = tool_of(cast.adam), signed_in(cast.adam)

    assert client.get(page_of(tool)).status_code == 200
    assert client.post(page_of(tool), {"department": ""}).status_code == 403
    assert client.post(try_page(tool), {"data": '{"expression": "1"}'}).status_code == 403
    tool.refresh_from_db()
    assert tool.enabled


def test_staff_try_a_tool(cast: Cast) -> None:
    client, tool = signed_in(cast.ana), tool_of(cast.ana)

    empty = shown(client.get(try_page(tool)))
    page = shown(client.post(try_page(tool), {"data": '{"expression": "6 * 7"}'}))

    assert "It returned" not in empty
    assert "&quot;result&quot;: 42" in page
    entry = AuditEntry.objects.get(tenant_id=cast.tenant.pk, operation="try tool")
    assert (entry.object_id, entry.outcome) == ("calculator", "ok")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"expression": "1 / 0"}', "Something is divided by zero."),
        ("{", "Invalid request body"),
        ("{}", "Field required"),
    ],
)
def test_what_is_refused_is_said_on_the_page(cast: Cast, written: str, said: str) -> None:
    page = shown(signed_in(cast.ana).post(try_page(tool_of(cast.ana)), {"data": written}))

    assert "It was refused or failed" in page
    assert said in page


def test_a_foreign_and_a_disabled_tool_cannot_be_tried(cast: Cast) -> None:
    disabled = tool_of(cast.ana, "http_fetch")
    Tool.objects.filter(pk=disabled.pk).update(enabled=False)
    client = signed_in(cast.ana)

    assert client.get(try_page(tool_of(cast.zoe))).status_code == 404
    assert client.get(try_page(disabled)).status_code == 404


def test_a_superuser_sees_the_tools_of_every_tenant(cast: Cast) -> None:
    client = superuser(cast.tenant.slug)

    assert client.get(list_of(Tool), {"tenant__id__exact": str(cast.tenant.pk)}).status_code == 200
    assert client.post(try_page(tool_of(cast.zoe)), {"data": '{"expression": "1"}'}).status_code == 200
    assert Tool.objects.filter(tenant=cast.tenant).count() == 3
