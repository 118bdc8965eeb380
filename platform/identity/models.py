"""Tenants and the people in them; roles with editable rights, and grants for single objects."""

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from ground.uuid7 import uuid7
from identity.permissions import ROLES, is_pattern
from identity.scoping import TenantOwned


def check_patterns(patterns: list[str]) -> None:
    """Refuse what is no permission pattern, by name."""
    if unknown := [pattern for pattern in patterns if not is_pattern(pattern)]:
        raise ValidationError(f"Unknown permissions: {', '.join(unknown)}. Write them as resource:action.")


class Tenant(models.Model):
    """An organisation: nothing crosses from one to another."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(unique=True, max_length=60)
    name = models.CharField(max_length=200)
    is_active = models.BooleanField("active", default=True)
    maps_users = models.BooleanField(
        "threads belong to users",
        default=True,
        help_text="Each user's threads are kept under the user's own id.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.name


class Department(TenantOwned):
    """A part of a tenant; objects of a department are seen by its members."""

    resource: ClassVar[str] = "departments"
    object_type: ClassVar[str] = "department"

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children")

    class Meta:
        ordering = ("name", "id")
        constraints = [models.UniqueConstraint(fields=("tenant", "slug"), name="department_slug_once_a_tenant")]

    def __str__(self) -> str:
        return self.name


class User(AbstractUser):
    """A person; what they may do depends on the membership in a tenant."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(unique=True)

    @property
    def shown_name(self) -> str:
        """The full name, or the user name when there is none."""
        return self.get_full_name() or self.username


class Role(models.Model):
    """What the members of a tenant with this role may do; the tenant's staff may edit the map."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="roles")
    slug = models.CharField("role", max_length=20, choices=[(role, role) for role in ROLES])
    permissions = ArrayField(
        models.CharField(max_length=60), blank=True, default=list, validators=[check_patterns],
        help_text="Patterns such as agents:read, *:read or agents:*, separated by commas.",
    )  # fmt: skip

    class Meta:
        ordering = ("tenant", "slug")
        constraints = [models.UniqueConstraint(fields=("tenant", "slug"), name="role_once_a_tenant")]

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """A user in a tenant: with one role, in any number of departments."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.ForeignKey(Role, on_delete=models.PROTECT, related_name="memberships")
    departments = models.ManyToManyField(Department, blank=True, related_name="memberships")
    is_active = models.BooleanField("active", default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("tenant", "user")
        constraints = [models.UniqueConstraint(fields=("tenant", "user"), name="member_once_a_tenant")]

    def __str__(self) -> str:
        return f"{self.user} in {self.tenant}"


class Grant(models.Model):
    """A subject → a permission → one object. It adds a right and never takes one away."""

    OBJECT_TYPES = [(kind, kind) for kind in ("agent", "workflow", "tool", "thread", "skill", "table")]

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="grants")
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="grants")
    role = models.ForeignKey(Role, null=True, blank=True, on_delete=models.CASCADE, related_name="grants")
    department = models.ForeignKey(Department, null=True, blank=True, on_delete=models.CASCADE, related_name="grants")
    permission = models.CharField(max_length=60)
    object_type = models.CharField(max_length=20, choices=OBJECT_TYPES)
    object_id = models.CharField(max_length=200, help_text="The id that callers use, such as an agent's slug.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "id")
        constraints = [
            models.CheckConstraint(
                name="grant_has_one_subject",
                condition=(
                    Q(user__isnull=False, role=None, department=None)
                    | Q(user=None, role__isnull=False, department=None)
                    | Q(user=None, role=None, department__isnull=False)
                ),
            )
        ]
        indexes = [
            models.Index(fields=("tenant", "user")),
            models.Index(fields=("tenant", "object_type", "object_id")),
        ]

    def __str__(self) -> str:
        return f"{self.user or self.role or self.department}: {self.permission} on {self.object_type} {self.object_id}"

    def clean(self) -> None:
        """One subject, a known pattern, everything inside the same tenant."""
        check_patterns([self.permission])
        if sum(subject is not None for subject in (self.user_id, self.role_id, self.department_id)) != 1:
            raise ValidationError("Choose exactly one of user, role and department.")
        if self.role and self.role.tenant_id != self.tenant_id:
            raise ValidationError({"role": "This role belongs to another tenant."})
        if self.department and self.department.tenant_id != self.tenant_id:
            raise ValidationError({"department": "This department belongs to another tenant."})
        if self.user_id and not Membership.objects.filter(tenant_id=self.tenant_id, user_id=self.user_id).exists():
            raise ValidationError({"user": "This user is not a member of the tenant."})
