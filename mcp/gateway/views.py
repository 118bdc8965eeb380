"""GET /whoami and GET /context: the session's bootstrap over plain HTTP too."""

from typing import Any

from api import references
from api.operations import operation
from api.views import PlatformView
from gateway import bootstrap
from gateway.context import Wanted, context_block
from gateway.serializers import ContextAnswer, ContextQuery, WhoamiAnswer
from gateway.surface import connection_options


class WhoamiView(PlatformView):
    """The caller."""

    @operation(None, returns=WhoamiAnswer)
    def get(self, request: Any) -> dict[str, Any]:
        """Who the caller is and what its credential may do."""
        return bootstrap.whoami(request.auth, connection_options.get())


class ContextView(PlatformView):
    """The operating manual."""

    @operation(None, query=ContextQuery, returns=ContextAnswer)
    def get(self, request: Any, query: dict[str, Any]) -> dict[str, Any]:
        """The block of the most important memories and knowledge that the caller may read."""
        wanted = Wanted(query.get("agent_id"), query.get("department_id"), query.get("query", ""))
        for kind, wanted_id in (("agent", wanted.agent_id), ("department", wanted.department_id)):
            if wanted_id is not None:
                references.find(kind, request.auth, wanted_id)
        return context_block(request.auth, wanted, query["max_tokens"])
