"""Users: superusers manage them, others change their own name and address, and staff change no user."""

from typing import Any

import pytest
from django.urls import reverse

from credentials.authentication import resolve
from credentials.policy import may_route
from ground.errors import Unauthenticated
from identity.models import User
from receipts.models import AuditEntry
from tests.admin.browser import list_of, page_of, signed_in, superuser
from tests.cast import Cast, Person


def _form(person: Person, **changes: Any) -> dict[str, Any]:
    user = person.user
    return {
        "username": user.username, "first_name": user.first_name, "last_name": "", "email": user.email,
        "is_active": "on", **changes,
    }  # fmt: skip


def test_a_person_changes_the_own_name_and_address_and_nothing_else(cast: Cast) -> None:
    new = f"new-{cast.ana.user.email}"
    forged = {"username": "other", "is_superuser": "on", "is_staff": "", "issues_router_keys": "", "password": "x"}

    response = signed_in(cast.ana).post(page_of(cast.ana.user), _form(cast.ana, email=new, last_name="Lee", **forged))

    assert response.status_code == 302
    user = User.objects.get(pk=cast.ana.user.pk)
    assert (user.email, user.last_name, user.username) == (new, "Lee", cast.ana.user.username)
    assert (user.is_staff, user.is_superuser, may_route(user)) == (True, False, True)
    entry = AuditEntry.objects.get(tenant_id=cast.tenant.pk, operation="save user")
    assert (entry.user_id, set(entry.changed)) == (user.pk, {"email", "last_name"})


@pytest.mark.parametrize("name", ["ben", "adam", "zoe"])
def test_staff_change_no_other_user(cast: Cast, name: str) -> None:
    other = getattr(cast, name)
    client = signed_in(cast.ana)

    answers = [
        client.get(page_of(other.user)),
        client.post(page_of(other.user), _form(other, email="stolen@example.test")),
        client.post(reverse("admin:auth_user_password_change", args=[other.user.pk]), {"password1": "x" * 12}),
        client.post(page_of(other.user, "delete"), {"post": "yes"}),
    ]

    assert {answer.status_code for answer in answers} <= {302, 403}
    assert User.objects.get(pk=other.user.pk).email == other.user.email


def test_the_own_password_is_not_changed_without_the_old_one(cast: Cast) -> None:
    sent = {"password1": "correct horse battery", "password2": "correct horse battery", "usable_password": "true"}

    response = signed_in(cast.ana).post(reverse("admin:auth_user_password_change", args=[cast.ana.user.pk]), sent)

    assert response.status_code == 403
    assert not User.objects.get(pk=cast.ana.user.pk).check_password("correct horse battery")


def test_a_superuser_gives_the_permission_for_router_keys(cast: Cast) -> None:
    client = superuser(cast.tenant.slug)

    given = client.post(page_of(cast.adam.user), _form(cast.adam, issues_router_keys="on"))
    after = may_route(User.objects.get(pk=cast.adam.user.pk))
    client.post(page_of(cast.adam.user), _form(cast.adam))

    assert (given.status_code, after, may_route(User.objects.get(pk=cast.adam.user.pk))) == (302, True, False)
    operations = AuditEntry.objects.filter(tenant_id=cast.tenant.pk, operation__contains="router")
    assert list(operations.order_by("at").values_list("operation", flat=True)) == [
        "let issue router keys",
        "let issue no router keys",
    ]


def test_deactivating_a_user_ends_the_keys_at_once(cast: Cast) -> None:
    key = cast.ben.key
    resolve(key)

    superuser(cast.tenant.slug).post(
        list_of(User), {"action": "deactivate_chosen", "_selected_action": [str(cast.ben.user.pk)]}
    )

    with pytest.raises(Unauthenticated):
        resolve(key)


def test_a_user_with_keys_is_not_deleted(cast: Cast) -> None:
    cast.ben.issue(["*"])

    response = superuser(cast.tenant.slug).post(page_of(cast.ben.user, "delete"), {"post": "yes"})

    assert response.status_code == 403
    assert User.objects.filter(pk=cast.ben.user.pk).exists()


def test_a_deleted_user_stays_in_the_audit(cast: Cast) -> None:
    pk = cast.ben.user.pk

    superuser(cast.tenant.slug).post(page_of(cast.ben.user, "delete"), {"post": "yes"})

    assert not User.objects.filter(pk=pk).exists()
    assert AuditEntry.objects.filter(tenant_id=cast.tenant.pk, operation="delete user", object_id=str(pk)).exists()
