"""Who is at the door: a look-up in memory while the credential is warm, one thread hop when it is not."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from credentials.authentication import cached, presented, resolve
from credentials.http import IN_QUERY
from gateway.protocol.errors import FORBIDDEN, UNAUTHENTICATED, ProtocolError
from gateway.protocol.server import Visit
from gateway.refusals import protocol_error
from gateway.server_info import NAME
from gateway.surface import EVERYTHING, Options
from ground.bridge import in_django
from ground.errors import Unauthenticated
from identity.principal import Principal
from limits.addresses import charge_failure
from limits.client_address import client_address
from receipts import audit

# The endpoint's query has its names in lower case.
_IN_QUERY = frozenset(name.lower() for name in IN_QUERY)

READ = "mcp:read"
SCOPES = "mcp:read mcp:execute mcp:write"


@dataclass(frozen=True, slots=True)
class Visitor:
    """An authenticated caller on a connection with its own options."""

    principal: Principal
    options: Options

    @property
    def key(self) -> str:
        """Stable for one credential; sessions and cursors are bound to it."""
        credential = self.principal.credential
        return f"{self.principal.tenant_id}:{credential.kind}:{credential.id}"


def authenticate(visit: Visit) -> Visitor | Awaitable[Visitor]:
    """The caller; raises ProtocolError with the challenge when there is none."""
    headers = visit.headers
    shown = headers.get("authorization"), headers.get("x-api-key")
    try:
        text = presented(*shown, in_query=_in_query(visit.query))
    except Unauthenticated:
        if not any(shown):
            raise _challenge('scope="' + SCOPES + '"') from None
        return _refused(visit)
    principal = cached(text)
    return _resolved(text, visit) if principal is None else _let_in(principal, visit)


async def _resolved(text: str, visit: Visit) -> Visitor:
    try:
        return _let_in(await in_django(resolve, text), visit)
    except Unauthenticated:
        return await _refused(visit)
    except ProtocolError:
        raise
    except Exception as failure:
        raise protocol_error(failure) from failure


async def _refused(visit: Visit) -> Visitor:
    try:
        await in_django(_charge, client_address(visit.peer, visit.headers.get("x-forwarded-for")))
    except Exception as failure:
        raise protocol_error(failure) from failure
    raise _challenge('error="invalid_token", error_description="' + Unauthenticated.default + '"')


def _charge(address: str) -> None:
    audit.record_refusal(None, door="mcp", operation="authenticate", status=Unauthenticated.status, address=address)
    charge_failure(address)


def _challenge(parameters: str) -> ProtocolError:
    headers = {"WWW-Authenticate": f'Bearer realm="{NAME}", {parameters}'}
    return ProtocolError(UNAUTHENTICATED, Unauthenticated.default, status=Unauthenticated.status, headers=headers)


def _let_in(principal: Principal, visit: Visit) -> Visitor:
    if not principal.in_scope(READ):
        headers = {"WWW-Authenticate": f'Bearer realm="{NAME}", error="insufficient_scope", scope="{READ}"'}
        sentence = f"This credential lacks the scope {READ}; use one that has it."
        raise ProtocolError(FORBIDDEN, sentence, status=403, headers=headers)
    return Visitor(principal, _options(visit.query) if visit.query else EVERYTHING)


def _options(query: Mapping[str, str]) -> Options:
    return _parsed(query.get("readonly", "0"), query.get("toolsets", ""))


@lru_cache(maxsize=1024)
def _parsed(read_only: str, toolsets: str) -> Options:
    """Whatever is not clearly false narrows: an unclear wish must not widen."""
    named = frozenset(name.strip() for name in toolsets.split(",") if name.strip())
    return Options(read_only.lower() not in ("0", "false"), named or None)


def _in_query(query: Mapping[str, str]) -> bool:
    return any(name in query and query[name].startswith("mcp") for name in _IN_QUERY)
