"""The routes of the session's bootstrap."""

from api.routes import route
from gateway.views import ContextView, WhoamiView

urlpatterns = [
    route("whoami", WhoamiView, name="whoami"),
    route("context", ContextView, name="context"),
]
