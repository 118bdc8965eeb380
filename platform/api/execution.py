"""The one core behind both doors: permission → validation → handler → reply, with audit and idempotent answers."""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction

from api import references
from api.calls import Circumstances
from api.database_errors import with_retries
from api.operations import Operation
from api.rehearsal import rehearse
from api.replies import Pending, Reply, Written
from api.serializers import CamelSerializer
from ground.bridge import in_django, on_background
from ground.errors import Forbidden, InvalidInput, PlatformError
from identity.principal import Principal
from receipts import audit, idempotency

logger = logging.getLogger(__name__)

CANCELLED = 499  # the status of work that the caller gave up
AGAIN = frozenset({409, 429, CANCELLED})  # answers that say "try again": never kept under an idempotency key


class Nothing(CamelSerializer):
    """What a route takes that declares no query or no body."""


class Execution:
    """One run of an operation for a principal; `run` gives the reply, or something to wait for."""

    def __init__(self, view: Any, operation: Operation, name: str, request: Any, path: Mapping[str, Any]) -> None:
        self.view, self.operation, self.name, self.request, self.path = (
            view,
            operation,
            name,
            request,
            dict(path),
        )
        self.principal: Principal = request.auth
        self.circumstances: Circumstances = request.circumstances
        self.started = time.perf_counter()
        self.begun: idempotency.Begun | None = None
        self.written: Written | None = None

    @property
    def writes(self) -> bool:
        """Whether the operation changes something."""
        declared = self.operation.writes
        return self.request.method != "GET" if declared is None else declared

    def permit(self) -> None:
        """Raise Forbidden unless the permission is held; the refusal is written down."""
        try:
            self._permit()
        except Forbidden as refused:
            self._failed(refused)
            raise

    def rehearse_if(self, asked: bool) -> None:
        """Make this a dry run, when it is asked for after the caller was let in."""
        self.circumstances = replace(self.circumstances, dry_run=asked)

    def run(self, query: Any, body: Any) -> Reply | Pending:
        """Check, validate, run; raises one of ground.errors."""
        try:
            return self._answered(query, body)
        except BaseException as failure:
            self._failed(failure)
            raise

    def _answered(self, query: Any, body: Any) -> Reply | Pending:
        self._permit()
        inputs = self._validated(query, body)
        if self.circumstances.dry_run:
            return self._rehearsed(inputs)
        if stored := self._begin(query, body):
            return stored
        answer = with_retries(lambda: self._once(inputs), self.request.method)
        if isinstance(answer, Pending):
            return Pending(on_background(self._settled(answer)))
        return self._noted(answer)

    def _permit(self) -> None:
        permission = self.operation.permission
        if permission is not None and not self.principal.opens(permission):
            raise Forbidden(permission)

    def _validated(self, query: Any, body: Any) -> dict[str, Any]:
        found = self.operation
        inputs = {
            "query": (found.query or Nothing).validated(query, "Invalid query parameters"),
            "body": (found.body or Nothing).validated({} if body is None else body),
        }
        inputs = {name: value for name, value in inputs.items() if getattr(found, name) is not None}
        if self.circumstances.dry_run and not self.operation.dry_run:
            raise InvalidInput("This operation has no dry run.")
        return inputs

    def _once(self, inputs: dict[str, Any]) -> Reply | Pending:
        """The handler's answer; under an idempotency key its effect and the stored answer are one transaction.

        Not so where an answer may be pending: that work goes on elsewhere and must find what the handler has written.
        """
        if self.begun is None or self.view.waits:
            answer = self._handled(inputs)
            return answer if isinstance(answer, Pending) else self._stored(self._replied(answer))
        with transaction.atomic():
            answer = self._handled(inputs)
            return answer if isinstance(answer, Pending) else self._stored(self._replied(answer))

    def _handled(self, inputs: dict[str, Any]) -> Any:
        return self.operation.handler(self.view, self.request, **self.path, **inputs)

    def _rehearsed(self, inputs: dict[str, Any]) -> Reply:
        preview = with_retries(lambda: rehearse(lambda: self._handled(inputs)), self.request.method)
        self._audit("dry_run", 200)
        return Reply(preview)

    def _begin(self, query: Any, body: Any) -> Reply | None:
        """The stored answer of an earlier call, compared by what was sent: validated values may hold the hour."""
        key = self.circumstances.idempotency_key
        if not key or not self.writes:
            return None
        begun = idempotency.begin(self.principal, key, self.name, {"path": self.path, "query": query, "body": body})
        if isinstance(begun, idempotency.StoredReply):
            references.check_path(self.principal, self.path, self.operation.permission)
            return Reply(begun.body, begun.status)
        self.begun = begun
        return None

    def _replied(self, answer: Any) -> Reply:
        if isinstance(answer, Written):
            self.written = answer
            return Reply(answer.body, answer.status or self.operation.status)
        return answer if isinstance(answer, Reply) else Reply(answer, self.operation.status)

    def _stored(self, reply: Reply) -> Reply:
        if self.begun is not None:
            self.begun.finish(reply.status, reply.body)
        return reply

    def _noted(self, reply: Reply) -> Reply:
        if self.writes:
            self._audit("ok", reply.status)
        return reply

    def _finished(self, answer: Any) -> Reply:
        return self._noted(self._stored(self._replied(answer)))

    async def _settled(self, pending: Pending) -> Reply:
        try:
            answer = await asyncio.wrap_future(pending.future)
        except BaseException as failure:
            # Shielded: a cancelled call is written down too.
            await asyncio.shield(in_django(self._failed, failure))
            raise
        return await in_django(self._finished, answer)

    def _failed(self, failure: BaseException) -> None:
        status = failure.status if isinstance(failure, PlatformError) else 500
        if isinstance(failure, asyncio.CancelledError):
            status = CANCELLED
        if self.begun is not None:
            self._settle_key(status, failure)
        if self.writes or status in (401, 403):
            self._audit("refused" if status < 500 and status != CANCELLED else "failed", status)

    def _settle_key(self, status: int, failure: BaseException) -> None:
        """Keep the refusal under the key, unless trying again may end otherwise."""
        assert self.begun is not None
        if isinstance(failure, PlatformError) and status < 500 and status not in AGAIN:
            self.begun.finish(status, failure.body())
        else:
            self.begun.abandon()

    def _audit(self, outcome: str, status: int) -> None:
        kind, object_id = self._object()
        audit.record(
            self.principal,
            door=self.circumstances.door,
            operation=self.name,
            tool=self.circumstances.tool,
            object_type=kind,
            object_id=object_id,
            changed=self.written.change.changes() if self.written is not None else (),
            outcome=outcome,
            status=status,
            duration_ms=(time.perf_counter() - self.started) * 1000,
            request_id=self.circumstances.request_id,
            dry_run=self.circumstances.dry_run,
        )

    def _object(self) -> tuple[str | None, str | None]:
        if self.written is not None:
            return self.written.change.object_type, self.written.change.object_id
        for name, value in self.path.items():
            if name.endswith("_id"):
                return name.removesuffix("_id"), str(value)
        return None, None
