"""The base of every route: DRF's HTTP around the one core that calls inside the process use too."""

from typing import Any, ClassVar

from django.http import HttpRequest, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api import doors
from api.execution import Execution
from api.http_inputs import asks_for_rehearsal, circumstances, without_rehearsal
from api.operations import Operation
from api.replies import Pending, Reply, Streamed
from api.waiting import WaitingResponse, waiting
from ground.errors import Forbidden, InvalidInput, PlatformError, RateLimited, Unauthenticated
from identity.principal import SESSION, Principal
from limits.admission import Admission, admit
from receipts import audit


class PlatformView(APIView):
    """A route. Handlers are methods declared with `@operation`; `waits = True` when one may answer Pending."""

    waits: ClassVar[bool] = False
    # Set for query routes whose own rules differ (status 422, smaller bodies).
    body_limit: ClassVar[int | None] = None

    @classmethod
    def operation_of(cls, method: str) -> Operation | None:
        """The operation behind a method, or None."""
        return getattr(getattr(cls, method.lower(), None), "operation", None)

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        view = super().as_view(**initkwargs)
        return waiting(view) if cls.waits else view

    @classmethod
    def run(cls, request: Any, path: dict[str, Any], query: Any, body: Any) -> Reply | Pending:
        """Permission → validation → handler → reply, for whoever made the request object."""
        found = cls.operation_of(request.method)
        if found is None:
            raise InvalidInput(f"{request.method} is not an operation of this route.")
        return Execution(cls(), found, cls.operation_name(request.method), request, path).run(query, body)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """DRF's dispatch, with the core in place of the handler; a Pending answer rides on the response."""
        self.args, self.kwargs, self.headers = args, kwargs, {}
        self.request = drf_request = self.initialize_request(request, *args, **kwargs)
        self.admission: Admission | None = None
        try:
            drf_request.circumstances = circumstances(drf_request)  # type: ignore[attr-defined]
            self.initial(drf_request, *args, **kwargs)
            answer = self._answer(drf_request, kwargs)
        except Exception as failure:
            return self._finalized(self.handle_exception(failure))
        if isinstance(answer, Pending):
            return WaitingResponse(answer, self._settle, self._release)
        return self._finalized(_response(answer))

    def _answer(self, request: Request, path: dict[str, Any]) -> Reply | Pending:
        found = self.operation_of(request.method or "GET")
        if found is None:
            self.http_method_not_allowed(request)
            raise AssertionError("unreachable")
        principal: Principal | None = request.auth  # type: ignore[assignment]
        if principal is None:
            raise Unauthenticated
        try:
            self._let_in(request, principal, found)
        except (Forbidden, RateLimited) as refused:
            self._write_down(request, principal, refused)
            raise
        execution = Execution(self, found, self.operation_name(request.method or "GET"), request, path)
        execution.permit()
        # Only now is the body read: whoever may not do this learns nothing of its faults, and costs nothing.
        execution.rehearse_if(asks_for_rehearsal(request))
        return execution.run(*without_rehearsal(request))

    def _let_in(self, request: Request, principal: Principal, found: Operation) -> None:
        doors.check(request, principal.credential, found)
        if principal.credential.kind != SESSION:
            self.admission = admit(principal.credential, principal.tenant_id)

    def _write_down(self, request: Request, principal: Principal, refused: PlatformError) -> None:
        """What is refused before the operation runs; the core writes down the rest."""
        audit.record_refusal(
            principal,
            door="http",
            operation=self.operation_name(request.method or "GET"),
            status=refused.status,
            request_id=request.circumstances.request_id,  # type: ignore[attr-defined]
        )

    @classmethod
    def operation_name(cls, method: str) -> str:
        """How an operation is named in the audit."""
        return f"{method.lower()} {cls.__name__.removesuffix('View')}"

    def _settle(self, reply: Reply | None, failure: BaseException | None) -> Response:
        if failure is not None:
            return self._finalized(self.handle_exception(failure))  # type: ignore[arg-type]
        return self._finalized(_response(reply or Reply(None)))

    def _release(self) -> None:
        if self.admission is not None:
            self.admission.release()

    def _finalized(self, response: Response) -> Response:
        self._release()
        if self.admission is not None:
            response.headers.setdefault("X-RateLimit-Limit", str(self.admission.limit))
            response.headers.setdefault("X-RateLimit-Remaining", str(self.admission.remaining))
            response.headers.setdefault("X-RateLimit-Reset", str(round(self.admission.reset)))
        self.response = self.finalize_response(self.request, response, *self.args, **self.kwargs)
        return self.response


def _response(reply: Reply) -> Any:
    if isinstance(reply.body, Streamed):
        # No proxy on the way may gather the pieces.
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", **reply.headers}
        return StreamingHttpResponse(reply.body.pieces, content_type="text/event-stream", headers=headers)
    return Response(reply.body, status=reply.status, headers=dict(reply.headers))
