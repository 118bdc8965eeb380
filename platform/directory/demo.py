"""The demo's two organisations and the people in them."""

import secrets
from typing import Any

from identity.models import Department, Membership, Role, Tenant, User
from identity.permissions import ADMIN, DEFAULT_ROLE_PERMISSIONS, MEMBER, OPERATOR, OWNER, VIEWER

TENANT = ("harbour-trading", "Harbour Trading")
OTHER = ("alpine-outfitters", "Alpine Outfitters")
DEPARTMENTS = (("sales", "Sales"), ("support", "Customer Support"), ("operations", "Operations"))
PEOPLE: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (OWNER, "Olivia", "Marsh", ()),
    (ADMIN, "Adam", "Reyes", ()),
    (OPERATOR, "Priya", "Nair", ("operations", "support")),
    (MEMBER, "Ben", "Keller", ("sales",)),
    (VIEWER, "Vera", "Lindqvist", ("support",)),
)
OTHER_PEOPLE: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (OWNER, "Zoe", "Hartmann", ()),
    (MEMBER, "Milo", "Brandt", ()),
)


def make(context: Any) -> None:
    """Tenants, departments and users; `made` hands them on to the other apps' demos."""
    tenant, departments = _tenant(*TENANT, DEPARTMENTS)
    other, _ = _tenant(*OTHER, ())
    people = {person[0]: _person(tenant, *person, departments=departments) for person in PEOPLE}
    others = {person[0]: _person(other, *person, departments={}) for person in OTHER_PEOPLE}
    context.made |= {
        "tenant": tenant,
        "departments": departments,
        "people": people,
        "other_tenant": other,
        "other_people": others,
    }
    context.facts["tenant"] = tenant.slug
    context.facts["admin"] = {**context.facts.get("admin", {}), **_login(people[OWNER], is_staff=True)}
    root = User.objects.get_or_create(username="root", defaults={"email": "root@atrium.example"})[0]
    context.facts["superuser"] = _login(root, is_staff=True, is_superuser=True)
    context.facts["other"] = {**context.facts.get("other", {}), "tenant": other.slug}


def _tenant(slug: str, name: str, departments: Any) -> tuple[Tenant, dict[str, Department]]:
    tenant = Tenant.objects.get_or_create(slug=slug, defaults={"name": name})[0]
    for role, patterns in DEFAULT_ROLE_PERMISSIONS.items():
        Role.objects.get_or_create(tenant=tenant, slug=role, defaults={"permissions": list(patterns)})
    made = {
        slug: Department.objects.get_or_create(tenant=tenant, slug=slug, defaults={"name": name})[0]
        for slug, name in departments
    }
    return tenant, made


def _person(
    tenant: Tenant, role: str, first: str, last: str, own: tuple[str, ...], *, departments: dict[str, Department]
) -> User:
    email = f"{first.lower()}@{tenant.slug}.example"
    user = User.objects.get_or_create(
        username=email, defaults={"email": email, "first_name": first, "last_name": last}
    )[0]
    held = Role.objects.get(tenant=tenant, slug=role)
    membership = Membership.objects.get_or_create(tenant=tenant, user=user, defaults={"role": held})[0]
    membership.departments.set([departments[slug] for slug in own])
    return user


def _login(user: User, **flags: bool) -> dict[str, str]:
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    for flag, value in flags.items():
        setattr(user, flag, value)
    user.save()
    return {"username": user.username, "password": password}
