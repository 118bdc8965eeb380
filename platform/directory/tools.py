"""The departments toolset."""

from api.routes import get
from api.toolsets import Toolset, ToolSpec
from directory.serializers import DepartmentList

DEPARTMENT_LIST = ToolSpec(
    "department_list",
    "List departments",
    "Lists the departments of your organisation with id, slug, name and parent. Use it to find a departmentId; query "
    "keeps those whose name or slug contains the text.",
    (get("departments"),),
    aliases=("list_departments",),
    takes=("query",),
    returns=DepartmentList,
    idempotent=True,
    keywords="teams units org chart organisation structure",
)

TOOLSETS = (Toolset("departments", (DEPARTMENT_LIST,)),)
