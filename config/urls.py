"""The URLs: the admin, health, and one include per app below the API prefix."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

PREFIX = settings.API_PREFIX.strip("/") + "/"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("launch.urls")),
    path(PREFIX, include("api.urls")),
    path(PREFIX, include("directory.urls")),
    path(PREFIX, include("toolbox.urls")),
    path(PREFIX, include("agents.urls")),
    path(PREFIX, include("workflows.urls")),
    path(PREFIX, include("gateway.urls")),
]
