"""Tenancy first: every query of owned data starts with `.visible_to(principal)`."""

from collections.abc import Iterable
from typing import Any, ClassVar, Self
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from ground.errors import NotFound
from ground.uuid7 import uuid7
from identity.principal import Principal


class VisibleQuerySet(models.QuerySet[Any]):
    """A queryset that knows who may see what."""

    def visible_to(self, principal: Principal, permission: str | None = None) -> Self:
        """The rows of the principal's tenant that it may use with `permission` (the kind's read permission if None).

        By the role: rows without a department, those of the own departments (owner and admin: of all), private rows
        only of the own hand (the owner: of everybody). By a grant: the granted row, whatever its department.
        """
        owned: type[TenantOwned] = self.model
        asked = permission or f"{owned.resource}:read"
        by_role = owned.role_rule(principal) if principal.may(asked) else None
        if by_role is not None and principal.is_owner and principal.all_departments:
            return self.filter(tenant_id=principal.tenant_id)
        rule = by_role if by_role is not None else Q(pk__in=())
        if granted := principal.granted_ids(asked, owned.object_type):
            rule |= Q(**{f"{owned.public_id}__in": owned.possible_ids(granted)})
        return self.filter(rule, tenant_id=principal.tenant_id)

    def get_visible(self, principal: Principal, public_id: str | UUID, permission: str | None = None) -> Any:
        """The one visible row with this public id; NotFound for a missing and for a foreign one alike."""
        owned: type[TenantOwned] = self.model
        if (found := self.visible_to(principal, permission).by_public_id(public_id).first()) is None:
            raise NotFound(owned.missing_sentence(str(public_id)))
        return found

    def by_public_id(self, public_id: str | UUID) -> Self:
        """The rows with this public id; a text that can be no id finds none."""
        owned: type[TenantOwned] = self.model
        return self.filter(**{f"{owned.public_id}__in": owned.possible_ids([public_id])})


class TenantOwned(models.Model):
    """A row that belongs to one tenant. Subclasses name their resource, object type and public id."""

    resource: ClassVar[str]  # of the permission: "agents"
    object_type: ClassVar[str]  # of grants: "agent"
    public_id: ClassVar[str] = "id"  # the field that callers know the row by
    has_department: ClassVar[bool] = False
    has_author: ClassVar[bool] = False  # with `author` and `visibility`

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey("identity.Tenant", on_delete=models.CASCADE, related_name="+")

    objects = VisibleQuerySet.as_manager()

    class Meta:
        abstract = True

    @classmethod
    def possible_ids(cls, texts: Iterable[str | UUID]) -> list[Any]:
        """These public ids in their one form, without those that can be none."""
        field: models.Field[Any, Any] = cls._meta.get_field(cls.public_id)  # type: ignore[assignment]
        found = []
        for text in texts:
            try:
                value = field.to_python(text)
            except (ValidationError, ValueError):
                continue
            if not (isinstance(value, str) and "\x00" in value):
                found.append(value)
        return found

    @classmethod
    def role_rule(cls, principal: Principal) -> Q:
        """Which rows a holder of the permission sees by the role, inside the own tenant."""
        rule = Q()
        if cls.has_department and not principal.all_departments:
            rule &= Q(department_id=None) | Q(department_id__in=principal.department_ids)
        if cls.has_author and not principal.is_owner:
            rule &= ~Q(visibility="private") | Q(author_id=principal.user_id)
        return rule

    @classmethod
    def missing_sentence(cls, public_id: str) -> str:
        """What a caller reads when the row is missing, or not theirs to see."""
        return f"{str(cls._meta.verbose_name).capitalize()} with id {public_id[:200]} not found"
