"""Tenants and people: routes, actions and admin pages."""

from django.apps import AppConfig

from api import references
from identity.principal import Principal


def find_department(principal: Principal, department_id: str, permission: str | None) -> object:
    """The visible department with this id."""
    from identity.models import Department  # models are not loaded when this module is

    return Department.objects.get_visible(principal, department_id, permission)


class DirectoryConfig(AppConfig):
    """Its models are those of identity."""

    name = "directory"

    def ready(self) -> None:
        """Departments are found by their ids."""
        references.register("department", find_department)
