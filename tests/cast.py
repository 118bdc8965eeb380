"""The cast of the tests: a fresh tenant each time, so that nothing needs cleaning up."""

import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import uuid4

from credentials.actions import issue_key
from credentials.authentication import resolve
from credentials.policy import router_permission
from identity.models import Department, Membership, Role, Tenant, User
from identity.permissions import DEFAULT_ROLE_PERMISSIONS
from identity.principal import EVERY_SCOPE, SESSION, Credential, Principal
from identity.rights import principal_of

_numbers = itertools.count(1)


@dataclass
class Person:
    """A member of a tenant, with a key that opens everything the role allows."""

    user: User
    membership: Membership

    @property
    def principal(self) -> Principal:
        """The principal as the database says now, holding a session's unrestricted credential."""
        return principal_of(self.membership.tenant_id, self.user.id, Credential(SESSION, "test", "test", EVERY_SCOPE))

    @cached_property
    def key(self) -> str:
        """The plaintext of a key with the allowlist `*`."""
        return self.issue(["*"])

    def issue(self, allowlist: list[str], **policy: Any) -> str:
        """The plaintext of a new key of this person."""
        return issue_key(self.principal, owner=self.user, name="test", allowlist=allowlist, **policy)[1]

    def by_key(self, key: str | None = None) -> Principal:
        """The principal that a key (by default: the one with `*`) authenticates."""
        return resolve(key or self.key)

    @property
    def headers(self) -> dict[str, str]:
        """The header that carries the key."""
        return {"Authorization": f"Bearer {self.key}"}


@dataclass
class Cast:
    """One tenant with ana (owner), adam (admin), olga (operator), ben (member), bea (member), vic (viewer); zoe owns
    another tenant. Departments: sales (ben, olga) and support (bea)."""

    tenant: Tenant
    roles: dict[str, Role]
    sales: Department
    support: Department
    other_tenant: Tenant
    people: dict[str, Person] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Person:
        try:
            return self.__dict__["people"][name]
        except KeyError:
            raise AttributeError(name) from None


def make_tenant(name: str) -> tuple[Tenant, dict[str, Role]]:
    """A tenant with the default roles and a slug of its own."""
    tenant = Tenant.objects.create(slug=f"{name}-{uuid4().hex[:10]}", name=name.capitalize())
    roles = {
        slug: Role.objects.create(tenant=tenant, slug=slug, permissions=list(patterns))
        for slug, patterns in DEFAULT_ROLE_PERMISSIONS.items()
    }
    return tenant, roles


def make_person(tenant: Tenant, role: Role, name: str, *departments: Department) -> Person:
    """A user with a membership."""
    username = f"{name}-{next(_numbers)}-{uuid4().hex[:6]}"
    user = User.objects.create(username=username, email=f"{username}@example.test", first_name=name.capitalize())
    membership = Membership.objects.create(tenant=tenant, user=user, role=role)
    membership.departments.set(departments)
    return Person(user, membership)


def make_cast() -> Cast:
    """Everybody, in two fresh tenants."""
    tenant, roles = make_tenant("north")
    other, other_roles = make_tenant("south")
    sales = Department.objects.create(tenant=tenant, slug="sales", name="Sales")
    support = Department.objects.create(tenant=tenant, slug="support", name="Support")
    cast = Cast(tenant, roles, sales, support, other)
    cast.people = {
        "ana": make_person(tenant, roles["owner"], "ana"),
        "adam": make_person(tenant, roles["admin"], "adam"),
        "olga": make_person(tenant, roles["operator"], "olga", sales),
        "ben": make_person(tenant, roles["member"], "ben", sales),
        "bea": make_person(tenant, roles["member"], "bea", support),
        "vic": make_person(tenant, roles["viewer"], "vic"),
        "zoe": make_person(other, other_roles["owner"], "zoe"),
    }
    for name in ("ana", "ben"):  # they issue router keys
        cast.people[name].user.user_permissions.add(router_permission())
    return cast
