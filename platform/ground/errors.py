"""The errors of the platform: each is one sentence a person can act on, with the status of its kind."""

from collections.abc import Sequence
from typing import ClassVar, TypedDict


class Issue(TypedDict):
    """One thing wrong with an input: the dotted path of the field, and what was expected."""

    field: str
    message: str


class PlatformError(Exception):
    """Base of all errors that reach a caller; `sentence` is shown as it is."""

    status: ClassVar[int] = 500
    default: ClassVar[str] = "The server made a mistake; try again, and report it with the request id if it stays."

    def __init__(self, sentence: str | None = None) -> None:
        self.sentence = sentence or self.default
        super().__init__(self.sentence)

    def body(self) -> dict[str, object]:
        """The JSON answer of the HTTP routes."""
        return {"error": self.sentence}


class InvalidInput(PlatformError):
    """The request breaks its schema: 400, with one issue a fault."""

    status = 400
    default = "Invalid request body"

    def __init__(self, sentence: str | None = None, issues: Sequence[Issue] = ()) -> None:
        super().__init__(sentence)
        self.issues = list(issues)

    def body(self) -> dict[str, object]:
        return {"error": self.sentence, "issues": self.issues} if self.issues else {"error": self.sentence}

    def said(self) -> str:
        """One sentence, with every issue named."""
        if not self.issues:
            return self.sentence
        named = "; ".join(f"{issue['field']} {issue['message']}".rstrip(".") for issue in self.issues)
        return f"{self.sentence}: {named}."


class Unauthenticated(PlatformError):
    """One text for every cause: a caller must not learn which part of a credential was right."""

    status = 401
    default = "Invalid or expired credential"


class Forbidden(PlatformError):
    """The caller lacks a permission; `permission` is its name."""

    status = 403

    def __init__(self, permission: str, sentence: str | None = None) -> None:
        self.permission = permission
        super().__init__(sentence or f"Missing required permission: {permission}")

    def body(self) -> dict[str, object]:
        return {"error": "Forbidden", "message": self.sentence}


class NotFound(PlatformError):
    """Missing or foreign: both look the same."""

    status = 404
    default = "Not found"


class Conflict(PlatformError):
    """The request is right, but not for the state the object is in."""

    status = 409
    default = "Somebody changed the same record; try again."


class TooLarge(PlatformError):
    """The request is larger or deeper than allowed."""

    status = 413
    default = "Request body too large"


class Unprocessable(PlatformError):
    """The request is well-formed but means nothing here."""

    status = 422
    default = "The request cannot be carried out"


class RateLimited(PlatformError):
    """Too many calls: `retry_after` seconds to wait; `limit`, `remaining` and `reset` describe the bucket."""

    status = 429

    def __init__(
        self, sentence: str, retry_after: float, *, limit: int = 0, remaining: int = 0, reset: float = 0.0
    ) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after
        self.limit, self.remaining, self.reset = limit, remaining, reset


class UpstreamFailed(PlatformError):
    """Something we called (a model, a tool, another server) failed; the trace id finds the details."""

    status = 502

    def __init__(self, sentence: str, *, trace_id: str | None = None) -> None:
        super().__init__(sentence)
        self.trace_id = trace_id

    def body(self) -> dict[str, object]:
        return {"error": self.sentence, "traceId": self.trace_id} if self.trace_id else {"error": self.sentence}


class TimedOut(UpstreamFailed):
    """Something we called did not answer in time."""

    status = 504


class Unavailable(PlatformError):
    """The server cannot serve now; `retry_after` seconds to wait."""

    status = 503
    default = "The server cannot serve this now; try again in a moment."

    def __init__(self, sentence: str | None = None, *, retry_after: float = 5.0) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after
