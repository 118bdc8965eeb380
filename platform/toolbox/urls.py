"""Routes of tools."""

from api.routes import route
from toolbox.views import ToolExecuteView, ToolsView, ToolView

urlpatterns = [
    route("tools", ToolsView, name="tools"),
    route("tools/<str:tool_id>", ToolView, name="tool"),
    route("tools/<str:tool_id>/execute", ToolExecuteView, name="tool-execute"),
]
