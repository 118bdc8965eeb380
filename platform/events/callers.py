"""Who listens: asked again for as long as the connection lasts, since rights change while it is open."""

from importlib import import_module
from typing import Any, Protocol

from django.conf import settings
from django.contrib.auth import get_user
from django.db import Error as DatabaseFailure
from django.http import HttpRequest
from psycopg_pool import PoolTimeout

from credentials.authentication import cached, resolve
from credentials.sessions import current_membership
from ground.bridge import in_django
from ground.errors import Unauthenticated, Unavailable
from ground.invalidation import ProcessCache
from identity.principal import SESSION, Credential, Principal
from identity.rights import principal_of

_of_sessions: ProcessCache[str, Principal] = ProcessCache("credentials", 1024, also=("rights",))


class Caller(Protocol):
    """Somebody who showed a credential."""

    async def principal(self) -> Principal:
        """Who it is, with the rights of now; raises Unauthenticated when it is nobody any more."""


class KeyCaller:
    """The holder of an API key."""

    def __init__(self, key: str) -> None:
        self._key = key

    async def principal(self) -> Principal:
        """A dictionary look-up while the key is warm."""
        return cached(self._key) or await _asked(resolve, self._key)


class SessionCaller:
    """A signed-in member of staff."""

    def __init__(self, session_key: str) -> None:
        self._session_key = session_key

    async def principal(self) -> Principal:
        """A dictionary look-up while the session is warm."""
        return _of_sessions.get(self._session_key) or await _asked(_of_session, self._session_key)


async def _asked(question: Any, shown: str) -> Principal:
    try:
        found: Principal = await in_django(question, shown)
    except (DatabaseFailure, PoolTimeout):
        raise Unavailable from None
    return found


def _of_session(session_key: str) -> Principal:
    return _of_sessions.load(session_key, lambda: _signed_in(session_key), lambda principal: principal.tenant_id)


def _signed_in(session_key: str) -> Principal:
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)  # checks the session's hash, so that a new password ends it
    if not user.is_authenticated or not user.is_active or not user.is_staff:
        raise Unauthenticated
    membership = current_membership(request.session, user)
    if membership is None:
        raise Unauthenticated
    return principal_of(membership.tenant_id, user.pk, Credential(SESSION, str(user.pk), user.username))
