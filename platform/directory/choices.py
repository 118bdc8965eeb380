"""What can be chosen in a form: only what belongs to the tenant, named so that a person recognises it."""

from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet
from django.forms import ModelChoiceField

from identity.models import Tenant, User


def narrow(field: Any, tenant_id: UUID | None) -> Any:
    """Offer the tenant's objects alone; without a tenant (a superuser who has yet to choose one) say whose they are."""
    if not isinstance(field, ModelChoiceField):
        return field
    found: QuerySet[Any] = field.queryset  # type: ignore[assignment]
    model = found.model
    field.label_from_instance = _label(model, foreign=tenant_id is None)  # type: ignore[method-assign]
    if tenant_id is not None:
        field.queryset = _of_tenant(found, model, tenant_id)
    elif _has_tenant(model):
        field.queryset = found.select_related("tenant")
    _without_shortcuts(field)
    return field


def nothing(field: Any) -> Any:
    """Offer nothing at all."""
    if isinstance(field, ModelChoiceField):
        field.queryset = field.queryset.none()  # type: ignore[union-attr]
    return field


def _of_tenant(found: QuerySet[Any], model: type[Model], tenant_id: UUID) -> QuerySet[Any]:
    if model is User:
        return found.filter(memberships__tenant_id=tenant_id)
    if model is Tenant:
        return found.filter(pk=tenant_id)
    return found.filter(tenant_id=tenant_id) if _has_tenant(model) else found


def _has_tenant(model: type[Model]) -> bool:
    return any(field.name == "tenant" for field in model._meta.get_fields())


def _label(model: type[Model], *, foreign: bool) -> Any:
    if model is User:
        return person
    return (lambda row: f"{row} · {row.tenant}") if foreign and _has_tenant(model) else str


def person(user: User) -> str:
    """A user as others know them."""
    return f"{user.shown_name} ({user.email})" if user.shown_name != user.email else user.email


def _without_shortcuts(field: Any) -> None:
    """Other pages are opened on purpose, not from inside a form."""
    for shortcut in ("can_add_related", "can_change_related", "can_delete_related", "can_view_related"):
        if hasattr(field.widget, shortcut):
            setattr(field.widget, shortcut, False)
