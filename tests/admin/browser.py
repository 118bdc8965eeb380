"""A signed-in browser, and what its pages say."""

from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from identity.models import User
from tests.cast import Person


def signed_in(person: Person) -> Client:
    """A browser in which this person, a member of staff, is signed in."""
    return _browser(person.user)


def superuser(cast_name: str) -> Client:
    """A browser of a superuser who belongs to no tenant."""
    name = f"root-{cast_name}"
    user = User.objects.create(username=name, email=f"{name}@example.test", is_superuser=True)
    return _browser(user)


def _browser(user: User) -> Client:
    user.is_staff = True
    user.save()
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user)
    return client


def may_route(person: Person) -> None:
    """Let this person issue router keys."""
    person.user.user_permissions.add(Permission.objects.get(codename="issue_router_key"))


def page_of(obj: Any, kind: str = "change") -> str:
    """The address of an object's page."""
    return reverse(f"admin:{obj._meta.app_label}_{obj._meta.model_name}_{kind}", args=[obj.pk])


def list_of(model: Any, kind: str = "changelist") -> str:
    """The address of a model's list, or of its form for a new one."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{kind}")


def errors_of(response: Any) -> dict[str, list[str]]:
    """What the form says is wrong."""
    assert response.status_code == 200, response.get("Location", response.status_code)
    return {name: list(said) for name, said in response.context["adminform"].form.errors.items()}


def sentences_of(response: Any) -> list[str]:
    """The same, at whatever field."""
    return [sentence for said in errors_of(response).values() for sentence in said]
