"""The routes of the directory."""

from api.routes import route
from directory.views import DepartmentsView

urlpatterns = [route("departments", DepartmentsView, name="departments")]
