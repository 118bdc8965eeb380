"""The description of the API, and a page to browse it."""

from django.urls import path
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView
from rest_framework.renderers import TemplateHTMLRenderer

urlpatterns = [
    path(
        "openapi.json",
        SpectacularAPIView.as_view(authentication_classes=[], renderer_classes=[OpenApiJsonRenderer]),
        name="openapi",
    ),
    path(
        "docs",
        SpectacularSwaggerView.as_view(
            authentication_classes=[], renderer_classes=[TemplateHTMLRenderer], url_name="openapi"
        ),
        name="docs",
    ),
]
