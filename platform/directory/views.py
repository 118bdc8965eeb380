"""The routes of the directory."""

from typing import Any

from django.db.models import Q

from api.operations import operation
from api.pagination import paged
from api.views import PlatformView
from directory.serializers import DepartmentList, DepartmentsQuery
from identity.models import Department


class DepartmentsView(PlatformView):
    """`/departments`"""

    @operation("departments:read", query=DepartmentsQuery, returns=DepartmentList)
    def get(self, request: Any, query: dict[str, Any]) -> dict[str, Any]:
        """List the departments of the tenant, by name."""
        found = Department.objects.visible_to(request.auth)
        if text := query.get("query"):
            found = found.filter(Q(name__icontains=text) | Q(slug__icontains=text))
        rows = found.values("id", "slug", "name", "parent_id")
        return paged("departments", rows, ("name",), query["page"], query["per_page"], _shown)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    parent = row["parent_id"]
    return {"id": str(row["id"]), "slug": row["slug"], "name": row["name"], "parentId": str(parent) if parent else None}
