"""The routes of the directory."""

from typing import Any

from django.db.models import Q

from api.operations import operation
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
        page, per_page = query["page"], query["per_page"]
        rows = list(found.order_by("name", "id").values("id", "slug", "name", "parent_id"))
        shown = rows[page * per_page : (page + 1) * per_page]
        return {
            "departments": [
                {
                    "id": str(row["id"]),
                    "slug": row["slug"],
                    "name": row["name"],
                    "parentId": str(row["parent_id"]) if row["parent_id"] else None,
                }
                for row in shown
            ],
            "total": len(rows),
            "page": page,
            "perPage": per_page,
            "hasMore": (page + 1) * per_page < len(rows),
        }
