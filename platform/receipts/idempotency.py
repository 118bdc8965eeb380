"""The same call twice, one effect: the first answer of an idempotency key is kept and given again."""

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
from django.db import Error as DatabaseFailure
from django.db import connection
from django.utils import timezone
from psycopg_pool import PoolTimeout

from ground.errors import Conflict, InvalidInput, Unprocessable
from ground.uuid7 import uuid7
from identity.principal import Principal
from receipts.models import StoredAnswer

logger = logging.getLogger(__name__)

KEPT = timedelta(hours=24)
LEASE = timedelta(minutes=5)  # longer than any call may take: whoever runs longer is dead

KEY_LENGTH = 255

# One statement decides, so that of two callers at once exactly one begins. A row is taken over when its time is over,
# or when its call died and this is the same call again.
BEGIN = """
INSERT INTO receipts_storedanswer AS stored (
    id, tenant_id, user_id, credential_kind, credential_id, key, operation, digest,
    state, status, body, lease_until, expires_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 'in_flight', NULL, '',
    statement_timestamp() + make_interval(secs => %s), statement_timestamp() + make_interval(secs => %s))
ON CONFLICT (tenant_id, user_id, credential_kind, credential_id, key) DO UPDATE SET
    id = EXCLUDED.id, operation = EXCLUDED.operation, digest = EXCLUDED.digest,
    state = EXCLUDED.state, status = EXCLUDED.status, body = EXCLUDED.body,
    lease_until = EXCLUDED.lease_until, expires_at = EXCLUDED.expires_at
WHERE stored.expires_at <= statement_timestamp()
   OR (stored.state = 'in_flight' AND stored.lease_until <= statement_timestamp()
       AND stored.operation = EXCLUDED.operation AND stored.digest = EXCLUDED.digest)
RETURNING id
"""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """The answer of the first call."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Begun:
    """This call is the one that runs. End it with `finish`, or with `abandon` when the key may be used again."""

    id: UUID

    def finish(self, status: int, body: Any) -> None:
        """Keep the answer for 24 hours.

        Never raises for the database: the call has happened. Without its answer the key counts as running until its
        lease ends.
        """
        try:
            text = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS, default=str).decode()
            StoredAnswer.objects.filter(pk=self.id).update(
                state=StoredAnswer.DONE, status=status, body=text, expires_at=timezone.now() + KEPT
            )
        except (DatabaseFailure, PoolTimeout, orjson.JSONEncodeError):
            logger.exception("The answer of an idempotent call could not be kept (%s)", self.id)

    def abandon(self) -> None:
        """Forget the call: it failed on our side, and the key may be used again. Never raises for the database."""
        try:
            StoredAnswer.objects.filter(pk=self.id, state=StoredAnswer.IN_FLIGHT).delete()
        except (DatabaseFailure, PoolTimeout):
            logger.exception("An idempotent call that failed could not be forgotten (%s)", self.id)


def begin(principal: Principal, key: str, operation: str, arguments: Mapping[str, Any]) -> Begun | StoredReply:
    """Begin the call of this key, or give the answer of the one that ended.

    Raises Conflict while the first call runs, Unprocessable when the key belongs to a call with other arguments,
    InvalidInput for what is no key. Keys of different users and credentials have nothing to do with each other.
    """
    _check(key)
    digest = digest_of(arguments)
    while True:
        if begun := _insert(principal, key, operation, digest):
            return begun
        # None when it was abandoned just now: then this call may begin after all.
        if (stored := _find(principal, key)) is not None:
            return _reply(stored, operation, digest)


def digest_of(arguments: Mapping[str, Any]) -> str:
    """The SHA-256 of the arguments, whatever the order of their keys."""
    canonical = json.dumps(arguments, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _check(key: str) -> None:
    if not 1 <= len(key) <= KEY_LENGTH or not key.isprintable():
        expected = f"must be 1 to {KEY_LENGTH} printable characters"
        raise InvalidInput("Invalid idempotency key", [{"field": "idempotencyKey", "message": expected}])


def _insert(principal: Principal, key: str, operation: str, digest: str) -> Begun | None:
    credential = principal.credential
    begun = Begun(uuid7())
    whose = (str(principal.tenant_id), str(principal.user_id), credential.kind, credential.id)
    times = (LEASE.total_seconds(), KEPT.total_seconds())
    with connection.cursor() as cursor:
        cursor.execute(BEGIN, (str(begun.id), *whose, key, operation, digest, *times))
        return begun if cursor.fetchone() else None


def _find(principal: Principal, key: str) -> StoredAnswer | None:
    return StoredAnswer.objects.filter(
        tenant_id=principal.tenant_id,
        user_id=principal.user_id,
        credential_kind=principal.credential.kind,
        credential_id=principal.credential.id,
        key=key,
    ).first()


def _reply(stored: StoredAnswer, operation: str, digest: str) -> StoredReply:
    if (stored.operation, stored.digest) != (operation, digest):
        raise Unprocessable(
            "This idempotency key belongs to a call with other arguments; use a new key for a new call."
        )
    if stored.state == StoredAnswer.IN_FLIGHT or stored.status is None:
        raise Conflict(
            "A call with this idempotency key is still running; send the same call again when it has ended, "
            "to get its answer."
        )
    return StoredReply(stored.status, orjson.loads(stored.body))
