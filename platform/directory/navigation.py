"""The admin's sidebar: every page that the person may open, in groups by what people do there."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst

# (group, (model, icon)…); pages of other apps come last, so that a new one is there without a word here.
GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Access", (
        ("credentials.apikey", "key"),
        ("gateway.routerkey", "alt_route"),
        ("receipts.auditentry", "receipt_long"),
    )),
    ("People", (
        ("identity.membership", "group"),
        ("identity.role", "shield_person"),
        ("identity.grant", "handshake"),
        ("identity.department", "account_tree"),
    )),
    ("Agents and MCP", (
        ("agents.agent", "smart_toy"),
        ("workflows.workflow", "schema"),
        ("workflows.workflowrun", "play_circle"),
        ("toolbox.tool", "construction"),
        ("gateway.featuredagent", "star"),
        ("gateway.featuredworkflow", "hotel_class"),
        ("gateway.mcpsettings", "tune"),
    )),
    ("Platform", (
        ("identity.tenant", "domain"),
        ("identity.user", "person"),
        ("inference.provideraccount", "cloud"),
    )),
)  # fmt: skip
HIDDEN_APPS = frozenset({"django_celery_beat"})  # schedules that the platform keeps itself


def groups(request: HttpRequest) -> list[dict[str, Any]]:
    """What the sidebar shows to this person."""
    home = {"title": "Overview", "icon": "dashboard", "link": reverse("admin:index")}
    pages = {model._meta.label_lower: model for model in admin.site._registry}
    known = {label for _, entries in GROUPS for label, _ in entries}
    shown = [("", [home]), *((title, _items(request, entries, pages)) for title, entries in GROUPS)]
    more = [(label, "article") for label, model in sorted(pages.items()) if _is_new(label, model, known)]
    shown.append(("More", _items(request, tuple(more), pages)))
    return [{"title": title, "items": items} for title, items in shown if items]


def _is_new(label: str, model: Any, known: set[str]) -> bool:
    return label not in known and model._meta.app_label not in HIDDEN_APPS


def _items(request: HttpRequest, entries: tuple[tuple[str, str], ...], pages: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "title": capfirst(pages[label]._meta.verbose_name_plural),
            "icon": icon,
            "link": reverse(f"admin:{label.replace('.', '_')}_changelist"),
        }
        for label, icon in entries
        if label in pages and admin.site._registry[pages[label]].has_module_permission(request)
    ]


def own_page(request: HttpRequest) -> str:
    """The page with the person's own name and address."""
    return reverse("admin:identity_user_change", args=[request.user.pk])
