"""A route called in-process: the same view, the same checks, no HTTP."""

from api.calls import Call, LightRequest
from api.replies import Pending, Reply
from api.routes import view_of
from identity.principal import Principal


def send(principal: Principal, call: Call) -> Reply | Pending:
    """Run the operation behind a named route for this principal; raises one of ground.errors."""
    request = LightRequest(principal, call.method, call.circumstances)
    return view_of(call.route).run(request, dict(call.path), call.query, call.body)
